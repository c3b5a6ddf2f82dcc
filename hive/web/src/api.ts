// What the hive answers (hive/api/openapi.json), and how it is asked: always with the token, which stays in this tab.

export interface Tally {
  count: number;
  sites: number;
}

export interface Verdicts {
  'true-race': number;
  'likely-false-positive': number;
  unknown: number;
  flags: number;
}

export interface Version {
  build: string;
  program: string;
  label: string;
  submitted: number; // seconds since 1970
  size: number;
  verdicts?: Verdicts;
  burden?: { spent: number; lived: number }; // microseconds
}

export interface Candidate {
  race: string;
  flag: boolean;
  verdict: keyof Verdicts;
  reason: string;
  said_by: number;
  settled: boolean;
  active: number;
  spent: number;
  executions: number;
  results: Record<string, Tally>;
  variable?: string;
  accesses?: string[];
}

export interface DynamicFrame {
  module: string;
  offset: string;
}

export interface Result {
  id: string;
  execution: string;
  kind: string;
  order: string;
  tau: number;
  spent: number;
  lived: number;
  detail: { stacks?: DynamicFrame[][]; signal?: number; facts?: string[]; stages?: string[] } | null;
  site: string;
  site_name: string;
  received: number;
  withdrawn: boolean;
}

export interface Excerpt {
  file: string;
  line: number;
  first: number;
  lines: string[];
}

export interface StaticFrame {
  function?: string;
  file?: string;
  directory?: string;
  line?: number;
  library?: boolean;
}

export interface OneCandidate extends Candidate {
  source: Excerpt[];
  record: { accesses?: { op: string; size: number; stack?: StaticFrame[]; site?: StaticFrame }[] };
  history: Result[];
}

export interface Failure {
  kind: string;
  signal: number;
  cause: string;
  first: number;
  latest: number;
  count: number;
  sites: number;
  races: string[];
  stack: DynamicFrame[];
}

export interface Site {
  id: string;
  name: string;
  seen: number;
  withdrawn: number;
  build: string;
  race: string;
  burden: { spent: number; lived: number; timeouts: number; executions: number };
  results: number;
}

// Refused: what the hive said. Of status 0: nobody answered.
export class Refused extends Error {
  constructor(
    readonly status: number,
    words: string,
  ) {
    super(words);
  }
}

const kToken = 'norn-hive-token';
export const token = () => sessionStorage.getItem(kToken) ?? '';
export const setToken = (text: string) =>
  text === '' ? sessionStorage.removeItem(kToken) : sessionStorage.setItem(kToken, text);

export async function ask<Answer>(path: string): Promise<Answer> {
  let answer: Response;
  try {
    answer = await fetch(`/api/v1/${path}`, { headers: { Authorization: `Bearer ${token()}` }, cache: 'no-store' });
  } catch {
    throw new Refused(0, 'the hive does not answer');
  }
  const body = (await answer.json().catch(() => ({}))) as { error?: string };
  if (!answer.ok) throw new Refused(answer.status, body.error ?? `the hive answered ${answer.status}`);
  return body as Answer;
}
