// The hive's page: what is known of programs, as it becomes known.
import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ask, Refused, setToken, token } from './api';
import { CandidateView } from './candidate';
import { Programs } from './programs';
import { Sites } from './sites';
import { VersionView } from './version';
import type { Selection } from './selection';
import '../../../report/web/src/style.css';
import './style.css';

function Entrance({ enter }: { enter: () => void }) {
  const [words, setWords] = useState('');
  const onSubmit = (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setToken(String(form.get('token') ?? '').trim());
    ask('versions')
      .then(enter)
      .catch((error: unknown) => {
        setToken('');
        setWords(error instanceof Refused ? error.message : String(error));
      });
  };
  return (
    <form class="entrance" onSubmit={onSubmit}>
      <h1>norn hive</h1>
      <label>
        a developer's token
        <input type="password" name="token" autocomplete="off" required autofocus />
      </label>
      <button type="submit">enter</button>
      {words && (
        <p class="warn" role="alert">
          {words}
        </p>
      )}
      <p class="soft">
        <code>norn hive token add --role=developer NAME</code> makes one. This tab keeps it until it is closed.
      </p>
    </form>
  );
}

const kKeys: [string, string][] = [
  ['j, ↓ / k, ↑', 'next, previous row'],
  ['Enter', 'open it'],
  ['Esc', 'back'],
  ['/', 'find'],
  ['p', 'programs'],
  ['s', 'sites'],
  ['?', 'this'],
];

function Keys({ close }: { close: () => void }) {
  return (
    <div class="keys" role="dialog" aria-label="keys" onClick={close}>
      <dl>
        {kKeys.map(([key, words]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function onKeyOf(selection: Selection, showKeys: (change: (shown: boolean) => boolean) => void) {
  const move = (by: number) => {
    const at = selection.rows.indexOf(selection.selected);
    const next = selection.rows[Math.min(Math.max(at + by, 0), selection.rows.length - 1)];
    if (next === undefined) return;
    selection.select(next);
    document.querySelector(`[data-link="${CSS.escape(next)}"]`)?.scrollIntoView({ block: 'nearest' });
  };
  return (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typed = event.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (typed) {
      if (event.key === 'Escape' || event.key === 'Enter') (event.target as HTMLElement).blur();
      return;
    }
    if (event.key === 'j' || event.key === 'ArrowDown') move(1);
    else if (event.key === 'k' || event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter' && selection.rows.includes(selection.selected)) location.hash = selection.selected;
    else if (event.key === 'p') location.hash = '#/';
    else if (event.key === 's') location.hash = '#/sites';
    else if (event.key === '?') showKeys((shown) => !shown);
    else if (event.key === '/') document.querySelector<HTMLInputElement>('input[type=search]')?.focus();
    else if (event.key === 'Escape') {
      showKeys(() => false);
      const parts = location.hash.split('/');
      location.hash = parts.length > 3 ? parts.slice(0, 3).join('/') : '#/';
    } else return;
    event.preventDefault();
  };
}

function View({ hash, selection }: { hash: string; selection: Selection }) {
  const [, name = '', build = '', race = ''] = hash.split('/');
  if (name === 'v' && race !== '') return <CandidateView build={build} race={race} selection={selection} />;
  if (name === 'v' && build !== '') return <VersionView build={build} selection={selection} />;
  if (name === 'sites') return <Sites selection={selection} />;
  return <Programs selection={selection} />;
}

function Page() {
  const [inside, setInside] = useState(token() !== '');
  const [hash, setHash] = useState(location.hash);
  const [selected, select] = useState('');
  const [keys, setKeys] = useState(false);
  const selection = useMemo<Selection>(() => ({ rows: [], selected: '', select: () => {} }), []);
  selection.selected = selected;
  selection.select = select;
  useEffect(() => {
    const onHash = () => {
      setHash(location.hash);
      window.scrollTo(0, 0);
    };
    const onKey = onKeyOf(selection, setKeys);
    window.addEventListener('hashchange', onHash);
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('hashchange', onHash);
      window.removeEventListener('keydown', onKey);
    };
  }, [selection]);
  if (!inside) return <Entrance enter={() => setInside(true)} />;
  return (
    <>
      <View key={hash} hash={hash} selection={selection} />
      <footer class="soft">
        <a href="#/">programs</a> · <a href="#/sites">sites</a> ·{' '}
        <button type="button" class="term" onClick={() => setKeys(!keys)}>
          keys ( ? )
        </button>{' '}
        ·{' '}
        <button
          type="button"
          class="term"
          onClick={() => {
            setToken('');
            setInside(false);
          }}
        >
          leave
        </button>
      </footer>
      {keys && <Keys close={() => setKeys(false)} />}
    </>
  );
}

const root = document.getElementById('page');
if (root !== null) render(<Page />, root);
