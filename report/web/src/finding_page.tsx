// One finding: its two sides beside each other, what is known of it, and what to type next.
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
  type Finding,
  type HazardRecord,
  type Location,
  type Model,
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
        {value && <b class="value"> {value}</b>}
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

function Known({ model, finding }: { model: Model; finding: Finding }) {
  const command = (model.run.command ?? [model.run.program ?? './program']).map(shellWord).join(' ');
  const id = `R${finding.record.id}`;
  const { confirmation } = finding;
  const steered = model.run.front_end !== 'valgrind';
  return (
    <section class="known">
      <h3>What is known, and what to type</h3>
      <ul>
        <li>
          <Term name={finding.standing} tone={`standing ${finding.standing}`} />: {finding.words}
        </li>
        {isRace(finding) && finding.record.record === 'race' && <li>seen {counted(finding.record.count, 'time')} in this run</li>}
        {finding.class && (
          <li>
            <Term name={finding.class.name} />
            {finding.class.consequence && `: ${finding.class.consequence}`}
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
      </ul>
      {confirmation?.token && <Command label="see it again:" text={`norn replay ${confirmation.token} -- ${command}`} />}
      {confirmation?.token && <Command label="stop at it:" text={`norn replay --gdb ${confirmation.token} -- ${command}`} />}
      {steered && finding.standing !== 'flag' && !confirmation?.confirmed && (
        <Command label="is it real?" text={`norn confirm ${id} -- ${command}`} />
      )}
      <Command label="all that is known:" text={`norn show ${id}`} />
      {finding.standing !== 'flag' && <Command label="does not matter:" text={`norn accept ${id} --reason='why'`} />}
    </section>
  );
}

export function FindingPage({ model, finding }: { model: Model; finding: Finding }) {
  const race = isRace(finding) ? finding.record : undefined;
  const token = finding.confirmation?.token;
  const schedule = token === undefined ? undefined : model.schedules[token];
  return (
    <article class="finding">
      <p>
        <a href="#/">← all findings</a> <span class="soft">(Esc)</span>
      </p>
      <h2>
        {race ? <code>{finding.title}</code> : finding.title} <Term name={finding.standing} tone={`standing ${finding.standing}`} />{' '}
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
      {schedule && <ScheduleView key={token} model={model} schedule={schedule} race={race} />}
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
