// The fleet: who looks at what, and what it costs each.
import type { Site } from './api';
import { useLive } from './live';
import { Problem } from './problem';
import { type Selection } from './selection';
import { Cost, counted, grouped, shortBuild, When } from './words';

export function Sites({ selection }: { selection: Selection }) {
  const answer = useLive<{ sites: Site[] }>('sites');
  selection.rows = [];
  if (answer.data === undefined) return <Problem of={answer} />;
  const sites = [...answer.data.sites].sort((a, b) => b.seen - a.seen);
  const spent = sites.reduce((sum, site) => sum + site.burden.spent, 0);
  const lived = sites.reduce((sum, site) => sum + site.burden.lived, 0);
  const worst = sites.reduce((most, { burden }) => Math.max(most, burden.lived > 0 ? burden.spent / burden.lived : 0), 0);
  return (
    <>
      <p>
        <a href="#/">all programs</a>
      </p>
      <Problem of={answer} />
      <h1>{counted(sites.length, 'site')}</h1>
      <dl class="facts">
        <div>
          <dt>held, all together</dt>
          <dd>
            <Cost spent={spent} lived={lived} />
          </dd>
        </div>
        <div>
          <dt>held, the worst site</dt>
          <dd>{(100 * worst).toFixed(2)} %</dd>
        </div>
        <div>
          <dt>results</dt>
          <dd>{grouped(sites.reduce((sum, site) => sum + site.results, 0))}</dd>
        </div>
      </dl>
      <table class="findings">
        <thead>
          <tr>
            <th>site</th>
            <th>validates</th>
            <th>held</th>
            <th class="number">executions</th>
            <th class="number">timeouts</th>
            <th class="number">results</th>
            <th>seen</th>
          </tr>
        </thead>
        <tbody>
          {sites.slice(0, 500).map((site) => (
            <tr class="row plain" key={site.id}>
              <td data-label="site">
                <div>
                  {site.name} {site.withdrawn > 0 && <span class="warn">withdrawn</span>}
                </div>
              </td>
              <td data-label="validates">
                <div>
                  {site.build && <a href={`#/v/${site.build}`}>{shortBuild(site.build)}</a>}{' '}
                  {site.race && <a href={`#/v/${site.build}/${site.race}`}>R{site.race}</a>}
                </div>
              </td>
              <td data-label="held">
                <div>
                  <Cost spent={site.burden.spent} lived={site.burden.lived} />
                </div>
              </td>
              <td class="number" data-label="executions">
                <div>{grouped(site.burden.executions)}</div>
              </td>
              <td class="number" data-label="timeouts">
                <div>{grouped(site.burden.timeouts)}</div>
              </td>
              <td class="number" data-label="results">
                <div>{grouped(site.results)}</div>
              </td>
              <td data-label="seen">
                <div>
                  <When at={site.seen} />
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {sites.length > 500 && <p class="soft">The 500 that were seen last are listed.</p>}
    </>
  );
}
