import type { Live } from './live';

// Nothing is known yet, or what is shown is old.
export function Problem<Answer>({ of }: { of: Live<Answer> }) {
  if (of.refused === undefined) return of.data === undefined ? <p class="soft">asking the hive …</p> : null;
  return (
    <p class="warn" role="alert">
      {of.refused.message}
      {of.data !== undefined && '; what is shown is what it said last'}
    </p>
  );
}
