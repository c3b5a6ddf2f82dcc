// The schedule that a token stands for, as swim lanes: a column a thread, a row a step, from top to bottom in the order
// in which they were taken. One step is the current one; the reader goes through them one by one, from switch to switch,
// or from one statement of the race to the next.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Source } from './source';
import { Term } from './term';
import { type Frame, type Model, type RaceRecord, type Schedule, type Step } from './model';

const kShown = 12; // steps before and after the current one

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName));

// The low half of a statement's identity: what logs have of it.
const lowHalf = (id: string | undefined) => (id === undefined ? '' : (BigInt(id) & 0xffffffffn).toString(16));

// "bank.cpp:16 …" as a frame, if the page has such a file.
function frameOf(model: Model, place: string | undefined): Frame | undefined {
  const found = /^(.*?):(\d+)/.exec(place ?? '');
  if (found === null) return undefined;
  const [, file = '', line = '0'] = found;
  const path = Object.keys(model.sources).find((known) => known === file || known.endsWith(`/${file}`));
  return path === undefined ? undefined : { file: path, line: Number(line) };
}

interface Props {
  model: Model;
  schedule: Schedule;
  race?: RaceRecord;
  children: ComponentChildren; // stands behind the heading: which of several schedules
}

export function ScheduleView({ model, schedule, race, children }: Props) {
  const { steps } = schedule;
  const statements = useMemo(() => (race?.accesses ?? []).map((access) => lowHalf(access.site_id)), [race]);
  const statementOf = (step: Step) => statements.indexOf(step[3]);
  const threads = useMemo(() => [...new Set(steps.map((step) => step[0]))].sort((a, b) => a - b), [steps]);
  const names = useMemo(() => {
    const known = new Map<number, string>();
    for (const access of race?.accesses ?? []) if (access.thread_name) known.set(access.thread, access.thread_name);
    return known;
  }, [race]);
  const firstStatement = steps.findIndex((step) => step[3] !== '' && statementOf(step) >= 0);
  const [current, setCurrent] = useState(Math.max(firstStatement, 0));
  const last = steps.length - 1;
  const go = (to: number) => setCurrent(Math.min(Math.max(to, 0), last));
  const seek = (by: 1 | -1, wanted: (at: number) => boolean) => {
    for (let at = current + by; at >= 0 && at <= last; at += by) if (wanted(at)) return go(at);
    go(by < 0 ? 0 : last);
  };
  const isSwitch = (at: number) => at > 0 && steps[at]?.[0] !== steps[at - 1]?.[0];
  const isStatement = (at: number) => {
    const step = steps[at];
    return step !== undefined && step[3] !== '' && statementOf(step) >= 0;
  };

  const act = useRef<(event: KeyboardEvent) => void>(() => {});
  act.current = (event) => {
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by !== 0 && event.shiftKey) seek(by, isSwitch);
    else if (by !== 0) go(current + by);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(last);
    else if (event.key === 'm') seek(1, isStatement);
    else return;
    event.preventDefault();
  };
  useLayoutEffect(() => {
    const listener = (event: KeyboardEvent) => act.current(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);

  // The lane of the current step is seen: on a phone not all are.
  const lanes = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = lanes.current?.querySelector<HTMLElement>('.current .step-box')?.parentElement;
    if (!box || !lanes.current) return;
    const { clientWidth, scrollLeft } = lanes.current;
    if (box.offsetLeft < scrollLeft || box.offsetLeft + box.offsetWidth > scrollLeft + clientWidth)
      lanes.current.scrollLeft = box.offsetLeft - Math.max(0, (clientWidth - box.offsetWidth) / 2);
  }, [current]);

  const step = steps[current];
  if (step === undefined) return null;
  const first = Math.max(0, Math.min(current - kShown, steps.length - 2 * kShown - 1));
  const shown = steps.slice(first, first + 2 * kShown + 1);
  const frame = frameOf(model, schedule.places[step[2]]);
  return (
    <section class="schedule" aria-label="schedule">
      <h3>
        The <Term name="schedule">schedule</Term> {children || 'that brings them together'}
      </h3>
      <div class="controls" role="toolbar" aria-label="steps">
        <button type="button" onClick={() => go(0)} aria-label="first step">
          ⇤
        </button>
        <button type="button" onClick={() => seek(-1, isSwitch)} aria-label="previous switch of threads">
          «
        </button>
        <button type="button" onClick={() => go(current - 1)} aria-label="previous step">
          ‹
        </button>
        <input
          type="range"
          min={0}
          max={last}
          value={current}
          aria-label="step"
          onInput={(event) => go(Number(event.currentTarget.value))}
        />
        <button type="button" onClick={() => go(current + 1)} aria-label="next step">
          ›
        </button>
        <button type="button" onClick={() => seek(1, isSwitch)} aria-label="next switch of threads">
          »
        </button>
        <button type="button" onClick={() => go(last)} aria-label="last step">
          ⇥
        </button>
        {firstStatement >= 0 && (
          <button type="button" onClick={() => seek(1, isStatement)}>
            next statement of the race
          </button>
        )}
      </div>
      <p class="now" aria-live="polite">
        step <b data-test="step">{current + 1}</b> of {schedule.decisions}
        {schedule.decisions > steps.length && ` (the page has the first ${steps.length})`}: thread {step[0]}{' '}
        {names.has(step[0]) && `“${names.get(step[0])}” `}
        {schedule.operations[step[1]]}
        {step[2] >= 0 && (
          <>
            {' '}
            at <code>{schedule.places[step[2]]}</code>
          </>
        )}
        , one of {step[4]} that could go on
      </p>
      <div class="lanes" ref={lanes} style={{ '--lanes': threads.length }} tabIndex={0} aria-label="threads and their steps">
        <div class="lane-row head">
          <span />
          {threads.map((thread) => (
            <span key={thread}>
              thread {thread}
              {names.has(thread) && <small> {names.get(thread)}</small>}
            </span>
          ))}
        </div>
        {shown.map((each, i) => {
          const at = first + i;
          const statement = each[3] === '' ? -1 : statementOf(each);
          return (
            <button
              type="button"
              key={at}
              class={`lane-row${at === current ? ' current' : ''}${isSwitch(at) ? ' switch' : ''}`}
              aria-current={at === current ? 'step' : undefined}
              tabIndex={-1}
              onClick={() => go(at)}
            >
              <span class="soft">{at + 1}</span>
              {threads.map((thread) => (
                <span key={thread} title={thread === each[0] ? schedule.places[each[2]] : undefined}>
                  {thread === each[0] && (
                    <span class={statement >= 0 ? `step-box statement` : 'step-box'}>
                      {schedule.operations[each[1]]} <code>{schedule.places[each[2]] ?? ''}</code>
                    </span>
                  )}
                </span>
              ))}
            </button>
          );
        })}
      </div>
      {frame && <Source model={model} frame={frame} around={3} />}
    </section>
  );
}

