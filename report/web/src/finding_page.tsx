// One finding: its two sides beside each other, what is known of it, and what to type next.
import { useState } from 'preact/hooks';
import { Command, shellWord } from './command';
import { ScheduleView } from './schedule';
import { Source } from './source';
import { Stack } from './stack';
import { Term } from './term';
import {
  counted,
  isRace,
  lockName,
  place,
  siteOf,
  threadWords,
  type Access,
  type Confirmation,
  type Finding,
  type HazardRecord,
  type Location,
  type Model,
  type RaceRecord,
  type Schedule,
} from './model';

function Locks({ access, base }: { access: Access; base: string }) {
  const locks = access.locks ?? [];
  if (locks.length === 0)
    return (
      <p class="held none">
        no <Term name="locks">locks</Term> held
      </p>
    );
  return (
    <ul class="held">
      {locks.map((lock) => (
        <li key={lock.address}>
          holds <Term name="locks"><code>{lockName(lock)}</code></Term>
          {lock.mode === 'shared' && ' shared'}
          {lock.taken_at && <span class="soft"> taken at {place(lock.taken_at, base)}</span>}
        </li>
      ))}
    </ul>
  );
}

function AccessCard({ model, access, value }: { model: Model; access: Access; value?: string }) {
  const site = siteOf(access);
  return (
    <section class="access">
      <h3>
        {access.op}, {counted(access.size, 'byte')} <span class="soft">by</span> {threadWords(access.thread, access.thread_name)}
      </h3>
      <p class="soft">
        {place(site, model.base)}
        {value && (
          <>
            {' '}
            <Term name="values" tone="value">
              {value}
            </Term>
          </>
        )}
      </p>
      <Locks access={access} base={model.base} />
      <Source model={model} frame={site} />
      <Stack
        frames={access.stack?.length ? access.stack : [site]}
        base={model.base}
        lost={access.stack_lost}
        createdAt={access.thread_created_at}
      />
    </section>
  );
}

function Hazard({ model, hazard }: { model: Model; hazard: HazardRecord }) {
  return (
    <div class="pair">
      {hazard.steps.map((step, i) => (
        <section class="access" key={i}>
          <h3>{threadWords(step.thread, step.thread_name)}</h3>
          <p>{step.does}</p>
          {step.stack?.[0] && <Source model={model} frame={step.stack.find((frame) => !frame.library) ?? step.stack[0]} />}
          <Stack frames={step.stack ?? []} base={model.base} />
        </section>
      ))}
    </div>
  );
}

function Memory({ location, base }: { location: Location; base: string }) {
  const object = location.object || location.name;
  return (
    <section>
      <h3>The memory</h3>
      <p>
        {object && (
          <>
            <code>{object}</code>:{' '}
          </>
        )}
        {location.kind === 'heap' ? `heap block of ${counted(location.object_size ?? 0, 'byte')}` : location.kind}
        {location.declared_at && ` in ${place(location.declared_at, base)}`}, offset {location.offset ?? 0}, address{' '}
        <code>{location.address}</code>
        {location.owner !== undefined &&
          `, ${location.kind === 'heap' ? 'allocated by' : 'of'} ${threadWords(location.owner, location.owner_name)}`}
      </p>
      {location.kind === 'heap' && location.allocated_at && <Stack frames={location.allocated_at} base={base} />}
    </section>
  );
}

// Which of the two accesses went first in the token's schedule, if that is known; as text_report.cc says it.
function firstToGo(race: RaceRecord, confirmation: Confirmation | null) {
  if (!confirmation?.met) return undefined;
  const half = (site: string) => BigInt(site) & 0xffffffffn;
  const [first, second] = confirmation.met.map((one) => half(one.site));
  const [later, earlier] = race.accesses.map((access) => half(access.site_id ?? '0x0'));
  if (earlier === first && later === second) return 1;
  return later === first && earlier === second ? 0 : undefined;
}

function Known({ model, finding }: { model: Model; finding: Finding }) {
  const command = (model.run.command ?? [model.run.program ?? './program']).map(shellWord).join(' ');
  const id = `R${finding.record.id}`;
  const { confirmation, class: known } = finding;
  const steered = model.run.front_end !== 'valgrind';
  const first = isRace(finding) ? firstToGo(finding.record, confirmation) : undefined;
  return (
    <section class="known">
      <h3>What is known, and what to type</h3>
      <ul>
        <li>
          <Term name={finding.standing} tone={`standing ${finding.standing}`} />
          {finding.words.startsWith(finding.standing) ? finding.words.slice(finding.standing.length) : `: ${finding.words}`}
        </li>
        {isRace(finding) && finding.record.record === 'race' && <li>seen {finding.record.count === 1 ? 'once' : counted(finding.record.count, 'time')} in this run</li>}
        {known && (
          <li data-test="class">
            <Term name={known.name} tone={`class ${known.name}`} />
            {known.consequence && `: ${known.consequence}`}
            {known.k ? `, in ${counted(known.k, 'pair')} of runs` : ''}
          </li>
        )}
        {isRace(finding) && finding.record.suppressed && (
          <li>
            <Term name="suppressed" /> by <code>{finding.record.suppressed_by}</code>
          </li>
        )}
        {confirmation?.token && (
          <li class="token">
            <Term name="token" />: <code>{confirmation.token}</code>
          </li>
        )}
        {isRace(finding) && first !== undefined && (
          <li data-test="met">
            <Term name="values" /> as in the schedule of this token, where the access shown {first === 0 ? 'first' : 'second'} goes first
          </li>
        )}
        {known?.evidence && known.evidence !== confirmation?.token && (
          <li class="token">
            <Term name="token" /> of what it does: <code>{known.evidence}</code>
          </li>
        )}
      </ul>
      {known?.evidence && <Command label="see what it does:" text={`norn replay ${known.evidence} -- ${command}`} />}
      {confirmation?.token && <Command label="see it again:" text={`norn replay ${confirmation.token} -- ${command}`} />}
      {confirmation?.token && <Command label="stop at it:" text={`norn replay --gdb ${confirmation.token} -- ${command}`} />}
      {steered && finding.standing !== 'flag' && !confirmation?.confirmed && (
        <Command label="is it real?" text={`norn confirm ${id} -- ${command}`} />
      )}
      {steered && isRace(finding) && confirmation?.confirmed && !known && (
        <Command label="what does it do?" text={`norn classify ${id} -- ${command}`} />
      )}
      <Command label="all that is known:" text={`norn show ${id}`} />
      {finding.standing !== 'flag' && <Command label="does not matter:" text={`norn accept ${id} --reason='why'`} />}
    </section>
  );
}

// The schedules of a finding that the page has: where it was confirmed, and what it does.
function schedulesOf(model: Model, finding: Finding) {
  const tokens: [string | undefined, string][] = [
    [finding.confirmation?.token, 'that brings them together'],
    [finding.class?.evidence, `that shows what it does: ${finding.class?.consequence || finding.class?.name}`],
  ];
  const found: { token: string; words: string; schedule: Schedule }[] = [];
  for (const [token, words] of tokens) {
    const schedule = token === undefined ? undefined : model.schedules[token];
    if (token === undefined || schedule === undefined || found.some((each) => each.token === token)) continue;
    found.push({ token, words, schedule });
  }
  return found;
}

interface Props {
  model: Model;
  finding: Finding;
  before?: string; // the findings before and after it, as the list has them
  after?: string;
}

export function FindingPage({ model, finding, before, after }: Props) {
  const race = isRace(finding) ? finding.record : undefined;
  const schedules = schedulesOf(model, finding);
  const [chosen, choose] = useState(0);
  const shown = schedules[chosen] ?? schedules[0];
  return (
    <article class="finding">
      <nav>
        <a href="#/">← all findings</a> <span class="soft key">(Esc)</span>
        {before && <a href={`#R${before}`}>previous</a>} {after && <a href={`#R${after}`}>next</a>}
        {(before || after) && <span class="soft key">(k, j)</span>}
      </nav>
      <h2>
        {race ? <code>{finding.title}</code> : finding.title} <Term name={finding.standing} tone={`standing ${finding.standing}`} />{' '}
        {finding.class && <Term name={finding.class.name} tone={`class ${finding.class.name}`} />}{' '}
        <span class="soft id">R{finding.record.id}</span>
      </h2>
      {race ? (
        <div class="pair">
          {race.accesses.map((access, i) => (
            <AccessCard key={i} model={model} access={access} value={finding.values?.[i]} />
          ))}
        </div>
      ) : (
        <Hazard model={model} hazard={finding.record as HazardRecord} />
      )}
      {shown && (
        <ScheduleView key={shown.token} model={model} schedule={shown.schedule} race={race}>
          {schedules.length > 1 && (
            <select aria-label="which schedule" value={chosen} onChange={(event) => choose(Number(event.currentTarget.value))}>
              {schedules.map((each, i) => (
                <option key={each.token} value={i}>
                  {each.words}
                </option>
              ))}
            </select>
          )}
        </ScheduleView>
      )}
      <Known model={model} finding={finding} />
      {race && <Memory location={race.location} base={model.base} />}
      {finding.history && finding.history.length > 0 && (
        <section>
          <h3>History</h3>
          <ol class="history">
            {finding.history.map((event, i) => (
              <li key={i}>
                <time>{event.time}</time> {event.words}
              </li>
            ))}
          </ol>
        </section>
      )}
    </article>
  );
}
