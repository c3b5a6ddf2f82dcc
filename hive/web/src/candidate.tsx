// One candidate: what is said of it and on what that rests, its two statements, and all that sites sent.
import { Source } from '../../../report/web/src/source';
import { Stack } from '../../../report/web/src/stack';
import { Command } from '../../../report/web/src/command';
import type { DynamicFrame, Excerpt, OneCandidate, Result, StaticFrame } from './api';
import { useLive } from './live';
import { Problem } from './problem';
import { type Selection } from './selection';
import { counted, grouped, reasonWords, Verdict, When } from './words';

const linesOf = (excerpt: Excerpt): Record<string, string> =>
  Object.fromEntries(excerpt.lines.map((line, i) => [String(excerpt.first + i), line]));

function Excerpted({ excerpt }: { excerpt: Excerpt | undefined }) {
  if (excerpt === undefined || excerpt.lines.length === 0) return <p class="soft">The source was not submitted.</p>;
  const frame = { file: excerpt.file, line: excerpt.line };
  return <Source model={{ sources: { [excerpt.file]: linesOf(excerpt) } }} frame={frame} />;
}

function Seen({ frames }: { frames: DynamicFrame[] | undefined }) {
  if (frames === undefined || frames.length === 0) return null;
  return (
    <>
      <p class="soft">as a site saw it</p>
      <ul class="stack">
        {frames.map((frame, i) => (
          <li key={i}>
            <span class="fn">
              {frame.module}+0x{frame.offset}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Evidence({ candidate }: { candidate: OneCandidate }) {
  const kinds = Object.entries(candidate.results).sort((a, b) => b[1].count - a[1].count);
  if (kinds.length === 0) return <p class="soft">No site said anything yet.</p>;
  return (
    <table class="evidence">
      <thead>
        <tr>
          <th>result</th>
          <th class="number">times</th>
          <th class="number">sites</th>
        </tr>
      </thead>
      <tbody>
        {kinds.map(([kind, tally]) => (
          <tr key={kind}>
            <td>{kind}</td>
            <td class="number">{grouped(tally.count)}</td>
            <td class="number">{grouped(tally.sites)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// Where it was built says nothing here.
const baseOf = (frames: StaticFrame[]) => {
  const directory = frames.find((frame) => frame.directory && !frame.library)?.directory;
  return directory === undefined ? '' : `${directory}/`;
};

const resultWords = (result: Result) =>
  [
    result.kind,
    result.kind === 'race' && `(${result.order})`,
    result.tau > 0 && `τ ${result.tau / 1000} ms`,
    result.spent > 0 && `held ${Math.round(result.spent / 1000)} ms`,
    result.detail?.facts?.join(', '),
    result.withdrawn && 'withdrawn',
  ]
    .filter(Boolean)
    .join(' · ');

export function CandidateView({ build, race, selection }: { build: string; race: string; selection: Selection }) {
  const answer = useLive<OneCandidate>(`versions/${build}/candidates/${race}`);
  selection.rows = [];
  if (answer.data === undefined) return <Problem of={answer} />;
  const candidate = answer.data;
  const stacks = candidate.history.find((result) => result.kind === 'race' && !result.withdrawn)?.detail?.stacks ?? [];
  return (
    <article class="finding">
      <p>
        <a href={`#/v/${build}`}>all candidates</a>
      </p>
      <Problem of={answer} />
      <h2>
        <Verdict candidate={candidate} /> <code>{candidate.variable || `R${race}`}</code>{' '}
        <span class="soft id">R{race}</span>
      </h2>
      <p data-test="said">
        {candidate.reason && reasonWords(candidate.reason)}
        {candidate.said_by > 0 && ` (said by ${counted(candidate.said_by, 'site')})`}
        {candidate.verdict === 'true-race' && !candidate.settled && '; one site alone saw it: others look, too'}
      </p>
      <div class="pair">
        {[0, 1].map((i) => {
          const access = candidate.record.accesses?.[i];
          return (
            <section class="access" key={i}>
              <p>
                <strong>{candidate.accesses?.[i] ?? 'access'}</strong>
              </p>
              <Excerpted excerpt={candidate.source[i]} />
              {access?.stack && <Stack frames={access.stack} base={baseOf(access.stack)} />}
              <Seen frames={stacks[i]} />
            </section>
          );
        })}
      </div>
      <div class="pair">
        <section class="known">
          <h3>Evidence</h3>
          <Evidence candidate={candidate} />
          <p class="soft">
            {counted(candidate.executions, 'execution')}; {counted(candidate.active, 'site')} with it now
          </p>
          <Command text={`norn hive status ${build} R${race}`} label="in a terminal:" />
        </section>
        <section class="known">
          <h3>History</h3>
          {candidate.history.length === 0 && <p class="soft">nothing yet</p>}
          <ul class="history">
            {candidate.history.slice(0, 60).map((result) => (
              <li key={result.id} class={result.withdrawn ? 'soft' : ''}>
                <When at={result.received} /> <span class="soft">{result.site_name}</span> {resultWords(result)}
              </li>
            ))}
          </ul>
        </section>
      </div>
    </article>
  );
}
