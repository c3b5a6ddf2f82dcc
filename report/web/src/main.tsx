// The page: what a run found. norn writes the findings into the file (report/formats/html.cc).
import { render } from 'preact';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { Command, shellWord } from './command';
import { FindingPage } from './finding_page';
import { Overview, noFilter, orderOf } from './overview';
import { Term } from './term';
import { counted, grouped, isRace, type Model } from './model';
import './style.css';

const kStandings = ['confirmed', 'observed', 'proved', 'predicted', 'static'];

function Head({ model }: { model: Model }) {
  const { run } = model;
  const races = model.findings.filter((finding) => finding.record.record === 'race');
  const counting = races.filter((finding) => isRace(finding) && !finding.record.suppressed);
  const hazards = model.findings.filter((finding) => finding.record.record === 'hazard').length;
  const flags = model.findings.filter((finding) => finding.standing === 'flag').length;
  const facts: [string, string | undefined][] = [
    ['started', run.started],
    ['took', run.stats.seconds ? `${run.stats.seconds.toFixed(2)} s` : undefined],
    ['exit status', String(run.exit)],
    ['engine', [run.engine, run.front_end].filter(Boolean).join(', ')],
    ['checked', run.stats.threads ? `${grouped(run.stats.accesses)} accesses by ${counted(run.stats.threads, 'thread')}` : undefined],
    ['directory', run.directory],
    ['build', run.build?.slice(0, 21)],
    ['commit', run.commit?.slice(0, 12)],
  ];
  return (
    <header>
      <h1>
        {counting.length === 0 ? <span class="good">No races</span> : counted(counting.length, 'race')}
        {kStandings.map((standing) => {
          const number = counting.filter((finding) => finding.standing === standing).length;
          return (
            number > 0 && (
              <span key={standing} class="count">
                {grouped(number)} <Term name={standing} tone={`standing ${standing}`} />
              </span>
            )
          );
        })}
        {races.length > counting.length && (
          <span class="count">
            {grouped(races.length - counting.length)} <Term name="suppressed" />
          </span>
        )}
        {hazards > 0 && (
          <span class="count">
            {grouped(hazards)} other <Term name="hazard">{hazards === 1 ? 'hazard' : 'hazards'}</Term>
          </span>
        )}
        {flags > 0 && (
          <span class="count">
            {grouped(flags)} <Term name="flag">{flags === 1 ? 'flag' : 'flags'}</Term>
          </span>
        )}
      </h1>
      <Command text={(run.command ?? [run.program ?? '']).map(shellWord).join(' ')} />
      <dl class="facts">
        {facts.map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      {!run.complete && <p class="warn">The run was not complete: more may be to find.</p>}
      {run.notes?.map((note, i) => (
        <p class="warn" key={i}>
          Note: {note}
        </p>
      ))}
    </header>
  );
}

function Keys({ close }: { close: () => void }) {
  const keys: [string, string][] = [
    ['j, ↓ / k, ↑', 'next, previous finding (j, k: also from one to the other)'],
    ['Enter', 'open it'],
    ['Esc', 'back; on the list: no filter'],
    ['/', 'filter'],
    ['→ / ←', 'of a schedule: next, previous step'],
    ['Shift → / ←', 'next, previous switch of threads'],
    ['m', "the race's next statement"],
    ['?', 'this'],
  ];
  return (
    <div class="keys" role="dialog" aria-label="keys" onClick={close}>
      <dl>
        {keys.map(([key, words]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Page({ model }: { model: Model }) {
  const [hash, setHash] = useState(location.hash);
  const [filter, setFilter] = useState(noFilter);
  const [selected, setSelected] = useState('');
  const [keys, setKeys] = useState(false);
  const id = /^#R([0-9a-f]+)$/.exec(hash)?.[1];
  const finding = model.findings.find((each) => each.record.id === id);
  const order = useMemo(() => (finding ? orderOf(model, filter) : []), [model, filter, finding]);
  const at = order.indexOf(id ?? '');
  const before = order[at - 1];
  const after = order[at + 1];
  useLayoutEffect(() => {
    const onHash = () => {
      setHash(location.hash);
      const opened = /^#R([0-9a-f]+)$/.exec(location.hash)?.[1];
      if (opened !== undefined) {
        setSelected(opened);
        window.scrollTo(0, 0);
      }
    };
    window.addEventListener('hashchange', onHash);
    return () => window.removeEventListener('hashchange', onHash);
  }, []);
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
      const next = event.key === 'j' ? after : event.key === 'k' ? before : undefined;
      if (next !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) location.hash = `#R${next}`;
      else if (event.key === '?') setKeys((shown) => !shown);
      else if (event.key === 'Escape') {
        setKeys(false);
        if (location.hash.startsWith('#R')) location.hash = '#/';
      }
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [before, after]);
  return (
    <>
      <Head model={model} />
      {finding ? (
        <FindingPage key={finding.record.id} model={model} finding={finding} before={before} after={after} />
      ) : (
        <Overview model={model} filter={filter} setFilter={setFilter} selected={selected} select={setSelected} />
      )}
      <footer class="soft">
        norn {model.version} ·{' '}
        <button type="button" class="term" onClick={() => setKeys(!keys)}>
          keys ( ? )
        </button>
      </footer>
      {keys && <Keys close={() => setKeys(false)} />}
    </>
  );
}

const root = document.getElementById('page');
const model = JSON.parse(document.getElementById('findings')?.textContent ?? 'null') as Model | null;
if (root !== null && model !== null) render(<Page model={model} />, root);
else if (root !== null) root.textContent = 'This page has no findings in it: norn report --html=FILE writes them.';
