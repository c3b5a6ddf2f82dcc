// One version: its candidates, what crashed or hung, and what it cost.
import { useState } from 'preact/hooks';
import type { Candidate, Failure, Version } from './api';
import { useLive } from './live';
import { Problem } from './problem';
import { rowProps, type Selection } from './selection';
import { Bar, Cost, counted, grouped, kVerdicts, reasonWords, shortBuild, Verdict, verdictKey, When } from './words';

type Answer = Version & { candidates: Candidate[] };

const kSignals: Record<number, string> = { 4: 'SIGILL', 5: 'SIGTRAP', 6: 'SIGABRT', 7: 'SIGBUS', 8: 'SIGFPE', 11: 'SIGSEGV' };

const textOf = (candidate: Candidate) =>
  [candidate.variable, ...(candidate.accesses ?? []), candidate.race, candidate.reason].join(' ').toLowerCase();

function Failures({ build }: { build: string }) {
  const answer = useLive<{ failures: Failure[] }>(`versions/${build}/failures`);
  if (answer.data === undefined || answer.data.failures.length === 0) return <Problem of={answer} />;
  return (
    <section class="failures">
      <h3>Crashes and hangs while steering, by cause</h3>
      <ul class="causes">
        {answer.data.failures.map((failure) => (
          <li key={`${failure.kind} ${failure.signal} ${failure.cause}`}>
            <details>
              <summary>
                <span class="bad">
                  {failure.kind} {kSignals[failure.signal] ?? (failure.signal || '')}
                </span>{' '}
                <code>{failure.cause || 'no stack'}</code>{' '}
                <span class="soft">
                  {counted(failure.count, 'time')} at {counted(failure.sites, 'site')}, the latest <When at={failure.latest} />
                </span>
              </summary>
              <ul class="stack">
                {failure.stack.map((frame, i) => (
                  <li key={i}>
                    <span class="fn">
                      {frame.module}+0x{frame.offset}
                    </span>
                  </li>
                ))}
              </ul>
              <p>
                steered into{' '}
                {failure.races.map((race) => (
                  <a key={race} href={`#/v/${build}/${race}`}>
                    R{race}{' '}
                  </a>
                ))}
              </p>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function VersionView({ build, selection }: { build: string; selection: Selection }) {
  const answer = useLive<Answer>(`versions/${build}/candidates`);
  const all = useLive<{ versions: Version[] }>('versions');
  const [words, setWords] = useState('');
  const [only, setOnly] = useState('');
  if (answer.data === undefined) return <Problem of={answer} />;
  const { candidates, program, label, submitted } = answer.data;
  const shown = candidates.filter(
    (candidate) => (only === '' || verdictKey(candidate) === only) && textOf(candidate).includes(words.toLowerCase()),
  );
  selection.rows = shown.map((candidate) => `#/v/${build}/${candidate.race}`);
  const known = all.data?.versions.find((version) => version.build === build);
  const others = (all.data?.versions ?? []).filter((version) => version.program === program && version.build !== build);
  return (
    <>
      <p>
        <a href="#/">all programs</a>
      </p>
      <Problem of={answer} />
      <h1>
        {program} {label}
        <span class="count soft">{shortBuild(build)}</span>
        <span class="count">{counted(candidates.length, 'candidate')}</span>
      </h1>
      {known?.verdicts && <Bar verdicts={known.verdicts} />}
      <dl class="facts">
        <div>
          <dt>submitted</dt>
          <dd>
            <When at={submitted} />
          </dd>
        </div>
        <div>
          <dt>held</dt>
          <dd>
            <Cost spent={known?.burden?.spent ?? 0} lived={known?.burden?.lived ?? 0} /> of what ran
          </dd>
        </div>
        {others.length > 0 && (
          <div>
            <dt>other versions</dt>
            <dd>
              {others.map((version) => (
                <a key={version.build} href={`#/v/${version.build}`}>
                  {version.label || shortBuild(version.build)}{' '}
                </a>
              ))}
            </dd>
          </div>
        )}
      </dl>
      <Failures build={build} />
      <div class="filters">
        <label class="wide">
          find
          <input
            type="search"
            value={words}
            placeholder="variable, file, function, id ( / )"
            onInput={(event) => setWords(event.currentTarget.value)}
          />
        </label>
        <label>
          verdict
          <select value={only} onChange={(event) => setOnly(event.currentTarget.value)}>
            <option value="">all</option>
            {kVerdicts.map(([key, name]) => (
              <option key={key} value={key}>
                {name} ({candidates.filter((candidate) => verdictKey(candidate) === key).length})
              </option>
            ))}
          </select>
        </label>
      </div>
      <p class="soft" data-test="shown">
        {grouped(shown.length)} of {grouped(candidates.length)} shown
      </p>
      <table class="findings">
        <thead>
          <tr>
            <th>verdict</th>
            <th>variable</th>
            <th>accesses</th>
            <th class="number">executions</th>
            <th class="number">sites now</th>
          </tr>
        </thead>
        <tbody>
          {shown.slice(0, 500).map((candidate) => {
            const link = `#/v/${build}/${candidate.race}`;
            return (
              <tr {...rowProps(selection, link)} key={candidate.race}>
                <td data-label="verdict">
                  <div>
                    <Verdict candidate={candidate} />{' '}
                    <span class="soft">
                      {candidate.reason}
                      {candidate.said_by > 0 && `, ${counted(candidate.said_by, 'site')}`}
                    </span>
                  </div>
                </td>
                <td data-label="variable">
                  <div>
                    <a href={link} title={reasonWords(candidate.reason)}>
                      <code>{candidate.variable || `R${candidate.race}`}</code>
                    </a>
                  </div>
                </td>
                <td data-label="accesses">
                  <div>
                    {(candidate.accesses ?? []).map((access, i) => (
                      <div key={i}>{access}</div>
                    ))}
                  </div>
                </td>
                <td class="number" data-label="executions">
                  <div>{grouped(candidate.executions)}</div>
                </td>
                <td class="number" data-label="sites now">
                  <div>{grouped(candidate.active)}</div>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {shown.length > 500 && <p class="soft">The first 500 are listed; say more words to find.</p>}
    </>
  );
}
