import type { Candidate, Verdicts } from './api';

export const grouped = (number: number) => number.toLocaleString('en-US');
export const counted = (number: number, word: string) => `${grouped(number)} ${word}${number === 1 ? '' : 's'}`;

export const shortBuild = (build: string) => build.slice(0, 12);

export const kVerdicts: [keyof Verdicts, string, string][] = [
  ['true-race', 'true race', 'A site saw the two accesses with nothing that orders them.'],
  ['unknown', 'unknown', 'Nobody ran both statements, or nothing is decided yet.'],
  ['likely-false-positive', 'likely false', 'Sites looked, and something keeps the two accesses apart, or they never met.'],
  ['flags', 'flag', 'A plain variable that a loop waits for. It is not validated: it should be atomic.'],
];

export const verdictKey = (candidate: Candidate): keyof Verdicts => (candidate.flag ? 'flags' : candidate.verdict);

const kReasons: Record<string, string> = {
  'single-order': 'seen in one order',
  'both-orders': 'seen in both orders',
  crash: 'the program crashed when it was steered into it',
  hang: 'the program hung when it was steered into it',
  misbehaved: 'its user said that the program misbehaved',
  synchronized: 'something ordered the accesses',
  timeout: 'steering never brought them together',
  'not-aliasing': 'both ran often, never at one address',
  'single-context': 'both ran often, never in two threads',
  context: 'they touched one address from two threads; detection has begun',
};
export const reasonWords = (reason: string) => kReasons[reason] ?? reason;

export function Verdict({ candidate }: { candidate: Candidate }) {
  const key = verdictKey(candidate);
  const [, words, meaning] = kVerdicts.find(([name]) => name === key) ?? ['', key, ''];
  return (
    <span class={`verdict ${key}`} title={meaning}>
      {words}
    </span>
  );
}

// "3 minutes ago", with the time itself where it is pointed at.
export function When({ at }: { at: number }) {
  if (at === 0) return <span class="soft">never</span>;
  const seconds = Math.max(0, Math.round(Date.now() / 1000 - at));
  const words =
    seconds < 5
      ? 'now'
      : seconds < 90
        ? `${seconds} s ago`
        : seconds < 5400
          ? `${Math.round(seconds / 60)} min ago`
          : seconds < 129600
            ? `${Math.round(seconds / 3600)} h ago`
            : `${Math.round(seconds / 86400)} days ago`;
  const date = new Date(at * 1000);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {words}
    </time>
  );
}

// Of the time that programs ran, how much their threads were held.
export function Cost({ spent, lived }: { spent: number; lived: number }) {
  if (lived === 0) return <span class="soft">nothing ran</span>;
  const percent = (100 * spent) / lived;
  return (
    <span title={`${grouped(Math.round(spent / 1000))} ms held of ${grouped(Math.round(lived / 1000))} ms`}>
      {percent === 0 ? '0 %' : percent < 0.01 ? '< 0.01 %' : `${percent.toFixed(2)} %`}
    </span>
  );
}

// How a version's candidates stand, as one bar.
export function Bar({ verdicts }: { verdicts: Verdicts }) {
  const all = kVerdicts.reduce((sum, [key]) => sum + verdicts[key], 0);
  const words = kVerdicts.map(([key, name]) => `${verdicts[key]} ${name}`).join(', ');
  return (
    <div class="bar" role="img" aria-label={words} title={words}>
      {kVerdicts.map(([key]) => verdicts[key] > 0 && <i key={key} class={key} style={{ flexGrow: verdicts[key] / all }} />)}
    </div>
  );
}
