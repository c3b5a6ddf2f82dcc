// All findings: filters, and a table by variable and cause.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { variablesOf } from './causes';
import { Term } from './term';
import { counted, fullPath, grouped, isRace, partsOf, place, shownPath, siteOf, threadWords, type Finding, type Model } from './model';

export interface Filter {
  text: string;
  standing: string;
  class: string;
  file: string;
  thread: string;
}
export const noFilter: Filter = { text: '', standing: '', class: '', file: '', thread: '' };

const kMore = 300; // rows that are shown at once

// What the filters can ask for, of each finding.
interface Asked {
  finding: Finding;
  text: string;
  standing: string;
  class: string;
  files: string[];
  threads: string[];
}

function askedOf(finding: Finding, base: string): Asked {
  const parts = partsOf(finding);
  const files = parts.filter((part) => part.site.file).map((part) => shownPath(part.site, base));
  const threads = parts.map((part) => threadWords(part.thread, part.thread_name));
  const functions = isRace(finding)
    ? finding.record.accesses.flatMap((access) => (access.stack ?? []).map((frame) => frame.function ?? ''))
    : [];
  const standing = isRace(finding) && finding.record.suppressed ? 'suppressed' : finding.standing;
  const words = [finding.title, `r${finding.record.id}`, standing, finding.words, ...files, ...threads, ...functions, ...parts.map((part) => part.words)];
  return { finding, text: words.join('\n').toLowerCase(), standing, class: finding.class?.name ?? 'none', files, threads };
}

function passes(asked: Asked, filter: Filter): boolean {
  const words = filter.text.toLowerCase().split(/\s+/).filter((word) => word !== '');
  return (
    words.every((word) => asked.text.includes(word)) &&
    (filter.standing === '' || asked.standing === filter.standing) &&
    (filter.class === '' || asked.class === filter.class) &&
    (filter.file === '' || asked.files.includes(filter.file)) &&
    (filter.thread === '' || asked.threads.includes(filter.thread))
  );
}

// The findings that a filter leaves, as the table has them.
export function orderOf(model: Model, filter: Filter): string[] {
  const chosen = model.findings.filter((finding) => passes(askedOf(finding, model.base), filter));
  return variablesOf(chosen).flatMap((variable) => variable.causes.flatMap((cause) => cause.findings.map((f) => f.record.id)));
}

function Choice({ name, values, value, onChange }: { name: string; values: string[]; value: string; onChange: (value: string) => void }) {
  return (
    <label>
      {name}
      <select aria-label={name} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">all</option>
        {values.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}

const unique = (values: string[]) => [...new Set(values)].sort((a, b) => a.localeCompare(b));

interface Props {
  model: Model;
  filter: Filter;
  setFilter: (filter: Filter) => void;
  selected: string;
  select: (id: string) => void;
}

export function Overview({ model, filter, setFilter, selected, select }: Props) {
  const all = useMemo(() => model.findings.map((finding) => askedOf(finding, model.base)), [model]);
  const chosen = useMemo(() => all.filter((asked) => passes(asked, filter)), [all, filter]);
  const variables = useMemo(() => variablesOf(chosen.map((asked) => asked.finding)), [chosen]);
  const named = variables.filter((variable) => variable.causes.some((cause) => cause.findings.some(isRace))).length;
  const [most, setMost] = useState(kMore);
  const search = useRef<HTMLInputElement>(null);
  const order = useMemo(
    () => variables.flatMap((variable) => variable.causes.flatMap((cause) => cause.findings.map((f) => f.record.id))),
    [variables],
  );

  const act = useRef<(event: KeyboardEvent) => void>(() => {});
  act.current = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (typing) {
      if (event.key === 'Escape' || (event.key === 'Enter' && event.target === search.current)) (event.target as HTMLElement).blur();
      return;
    }
    const at = order.indexOf(selected);
    const by = event.key === 'j' || event.key === 'ArrowDown' ? 1 : event.key === 'k' || event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) {
      const next = order[Math.min(Math.max(at + by, 0), order.length - 1)];
      if (next !== undefined) select(next);
    } else if (event.key === 'Enter' && at >= 0 && !(event.target instanceof HTMLButtonElement)) {
      location.hash = `#R${selected}`;
    } else if (event.key === '/') {
      search.current?.focus();
    } else if (event.key === 'Escape') {
      setFilter(noFilter);
    } else {
      return;
    }
    event.preventDefault();
  };
  useLayoutEffect(() => {
    const listener = (event: KeyboardEvent) => act.current(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
  useEffect(() => {
    document.getElementById(`row-${selected}`)?.scrollIntoView({ block: 'nearest' });
  }, [selected]);

  const set = (part: Partial<Filter>) => setFilter({ ...filter, ...part });
  let left = most;
  return (
    <main>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <label class="wide">
          filter
          <input
            ref={search}
            type="search"
            aria-label="filter"
            value={filter.text}
            placeholder="variable, function, file, thread or id   ( / )"
            onInput={(event) => set({ text: event.currentTarget.value })}
          />
        </label>
        <Choice name="standing" values={unique(all.map((a) => a.standing))} value={filter.standing} onChange={(standing) => set({ standing })} />
        <Choice name="class" values={unique(all.map((a) => a.class))} value={filter.class} onChange={(value) => set({ class: value })} />
        <Choice name="file" values={unique(all.flatMap((a) => a.files))} value={filter.file} onChange={(file) => set({ file })} />
        <Choice name="thread" values={unique(all.flatMap((a) => a.threads))} value={filter.thread} onChange={(thread) => set({ thread })} />
      </form>
      <p class="soft shown" aria-live="polite">
        <span data-test="shown">
          {chosen.length === all.length
            ? `${counted(all.length, 'finding')}${named > 0 ? ` about ${counted(named, 'variable')}` : ''}`
            : `${grouped(chosen.length)} of ${counted(all.length, 'finding')}`}
        </span>
        {chosen.length < all.length && (
          <button type="button" class="copy" onClick={() => setFilter(noFilter)}>
            show all
          </button>
        )}
      </p>
      <table class="findings" hidden={chosen.length === 0}>
        <colgroup>
          <col class="wide-standing" />
          <col />
          <col class="wide-threads" />
          <col class="wide-times" />
          <col class="wide-id" />
        </colgroup>
        <thead>
          <tr>
            <th>standing</th>
            <th>statements</th>
            <th>threads</th>
            <th class="number">times</th>
            <th>id</th>
          </tr>
        </thead>
        {variables.map((variable) => {
          if (left <= 0) return null;
          return (
            <tbody key={variable.number}>
              <tr class="variable">
                <th colSpan={5} scope="rowgroup">
                  <code>{variable.title}</code>
                </th>
              </tr>
              {variable.causes.flatMap((cause, number) => {
                const rows = [];
                if (cause.access && left > 0) {
                  const site = siteOf(cause.access);
                  const held = cause.access.locks?.length ?? 0;
                  rows.push(
                    <tr class="cause" key={`cause-${number}`}>
                      <td colSpan={5}>
                        {cause.access.op} at <code>{place(site, model.base)}</code> in {site.function ?? fullPath(site)}{' '}
                        {held === 0 ? 'without a lock' : `with ${counted(held, 'lock')}`}, against {counted(cause.findings.length, 'statement')}
                      </td>
                    </tr>,
                  );
                }
                for (const finding of cause.findings) {
                  if (left-- <= 0) break;
                  rows.push(<Row key={finding.record.id} model={model} finding={finding} selected={selected === finding.record.id} />);
                }
                return rows;
              })}
            </tbody>
          );
        })}
      </table>
      {order.length > most && (
        <button type="button" onClick={() => setMost(most + kMore)}>
          {grouped(order.length - most)} more
        </button>
      )}
      {all.length === 0 && <p class="good big">No races were found.</p>}
    </main>
  );
}

function Row({ model, finding, selected }: { model: Model; finding: Finding; selected: boolean }) {
  const parts = partsOf(finding);
  const { id } = finding.record;
  const suppressed = isRace(finding) && finding.record.suppressed === true;
  return (
    <tr id={`row-${id}`} class={`row${selected ? ' selected' : ''}${suppressed ? ' soft' : ''}`} onClick={() => (location.hash = `#R${id}`)}>
      <td data-label="standing">
        <Term name={finding.standing} tone={`standing ${finding.standing}`} />
        {suppressed && (
          <>
            , <Term name="suppressed" />
          </>
        )}
        {finding.class && (
          <div>
            <Term name={finding.class.name} tone={`class ${finding.class.name}`} />
            {finding.class.consequence && <span class="soft">: {finding.class.consequence}</span>}
          </div>
        )}
      </td>
      <td data-label="statements">
        {parts.map((part, i) => (
          <div key={i}>
            {isRace(finding) ? part.words : ''} <code>{place(part.site, model.base)}</code>{' '}
            {part.site.function && <span class="soft fn">{part.site.function}</span>}
            {finding.values?.[i] && <Term name="values" tone="value">{finding.values[i]}</Term>}
          </div>
        ))}
      </td>
      <td data-label="threads">
        {parts.map((part, i) => (
          <div key={i}>{threadWords(part.thread, part.thread_name)}</div>
        ))}
      </td>
      <td data-label="times" class="number">
        {isRace(finding) ? grouped(finding.record.count) : ''}
      </td>
      <td data-label="id">
        <a href={`#R${id}`} onClick={(event) => event.stopPropagation()}>
          R{id}
        </a>
      </td>
    </tr>
  );
}
