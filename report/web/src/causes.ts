// Which findings a reader wants to see together: those about one variable, and of these the ones that one statement is
// to blame for. A statement without a lock that conflicts with ten others makes ten races and is one cause.
import { isRace, siteOf, type Access, type Finding } from './model';

export interface Cause {
  access?: Access; // the statement that is in all of them; none if there is but one finding, or it is no race
  findings: Finding[];
}

export interface Variable {
  number: number;
  title: string;
  causes: Cause[];
}

const keyOf = (access: Access) => {
  const site = siteOf(access);
  return access.site_id ?? `${site.file}:${site.line}:${site.function}`;
};

// Takes, again and again, the statement that most of the rest have in common; of several the one with fewer locks.
function causesOf(findings: Finding[]): Cause[] {
  const causes: Cause[] = [];
  let rest = findings;
  while (rest.length > 0) {
    const statements = new Map<string, { access: Access; findings: Finding[] }>();
    for (const finding of rest) {
      if (!isRace(finding)) continue;
      for (const access of finding.record.accesses) {
        const known = statements.get(keyOf(access));
        if (known === undefined) statements.set(keyOf(access), { access, findings: [finding] });
        else if (!known.findings.includes(finding)) known.findings.push(finding);
      }
    }
    const best = [...statements.values()].sort(
      (a, b) =>
        b.findings.length - a.findings.length || (a.access.locks?.length ?? 0) - (b.access.locks?.length ?? 0),
    )[0];
    if (best === undefined || best.findings.length < 2) {
      for (const finding of rest) causes.push({ findings: [finding] });
      break;
    }
    causes.push({ access: best.access, findings: best.findings });
    rest = rest.filter((finding) => !best.findings.includes(finding));
  }
  return causes;
}

export function variablesOf(findings: Finding[]): Variable[] {
  const byNumber = new Map<number, Finding[]>();
  for (const finding of findings) {
    const known = byNumber.get(finding.variable);
    if (known === undefined) byNumber.set(finding.variable, [finding]);
    else known.push(finding);
  }
  return [...byNumber].map(([number, all]) => ({ number, title: all[0]?.title ?? '', causes: causesOf(all) }));
}
