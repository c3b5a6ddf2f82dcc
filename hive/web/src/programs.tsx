// The first view: programs, and the versions of each.
import type { Site, Version, Verdicts } from './api';
import { useLive } from './live';
import { Bar, Cost, counted, grouped, kVerdicts, shortBuild, When } from './words';
import { Problem } from './problem';
import { rowProps, type Selection } from './selection';

const kNone: Verdicts = { 'true-race': 0, 'likely-false-positive': 0, unknown: 0, flags: 0 };

export function Programs({ selection }: { selection: Selection }) {
  const versions = useLive<{ versions: Version[] }>('versions');
  const sites = useLive<{ sites: Site[] }>('sites');
  if (versions.data === undefined) return <Problem of={versions} />;
  const programs = new Map<string, Version[]>();
  for (const version of [...versions.data.versions].sort((a, b) => b.submitted - a.submitted))
    programs.set(version.program, [...(programs.get(version.program) ?? []), version]);
  const lately = (sites.data?.sites ?? []).filter((site) => site.withdrawn === 0 && Date.now() / 1000 - site.seen < 300);
  selection.rows = [...programs.values()].flat().map((version) => `#/v/${version.build}`);
  return (
    <>
      <Problem of={versions} />
      <h1>
        {counted(programs.size, 'program')}
        <span class="count">{counted(versions.data.versions.length, 'version')}</span>
        {sites.data && (
          <a class="count" href="#/sites">
            {grouped(lately.length)} of {counted(sites.data.sites.length, 'site')} lately
          </a>
        )}
      </h1>
      {programs.size === 0 && (
        <p>
          Nobody submitted a program yet: <code>norn hive submit ./program</code>
        </p>
      )}
      <table class="findings">
        <thead>
          <tr>
            <th>version</th>
            <th>candidates</th>
            <th class="number">true races</th>
            <th class="number">unknown</th>
            <th class="number">likely false</th>
            <th>held</th>
            <th>submitted</th>
          </tr>
        </thead>
        <tbody>
          {[...programs].map(([program, all]) => (
            <>
              <tr class="variable" key={program}>
                <th colSpan={7}>
                  <code>{program}</code>
                </th>
              </tr>
              {all.map((version) => {
                const verdicts = version.verdicts ?? kNone;
                const total = kVerdicts.reduce((sum, [key]) => sum + verdicts[key], 0);
                const link = `#/v/${version.build}`;
                return (
                  <tr {...rowProps(selection, link)} key={version.build}>
                    <td data-label="version">
                      <div>
                        <a href={link}>{version.label || shortBuild(version.build)}</a>{' '}
                        {version.label && <span class="soft">{shortBuild(version.build)}</span>}
                      </div>
                    </td>
                    <td data-label="candidates">
                      <div>
                        <Bar verdicts={verdicts} /> {grouped(total)}
                      </div>
                    </td>
                    <td class="number" data-label="true races">
                      <div class={verdicts['true-race'] > 0 ? 'bad' : 'soft'}>{grouped(verdicts['true-race'])}</div>
                    </td>
                    <td class="number" data-label="unknown">
                      <div>{grouped(verdicts.unknown)}</div>
                    </td>
                    <td class="number" data-label="likely false">
                      <div>{grouped(verdicts['likely-false-positive'])}</div>
                    </td>
                    <td data-label="held">
                      <div>
                        <Cost spent={version.burden?.spent ?? 0} lived={version.burden?.lived ?? 0} />
                      </div>
                    </td>
                    <td data-label="submitted">
                      <div>
                        <When at={version.submitted} />
                      </div>
                    </td>
                  </tr>
                );
              })}
            </>
          ))}
        </tbody>
      </table>
      <p class="soft">
        “held” is what the fleet costs its users: of the time that programs ran, the share for which a thread was held before
        a statement. Instructions of probes come to it; the design note “production” has their figures.
      </p>
    </>
  );
}
