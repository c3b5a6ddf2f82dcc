// What norn writes into the page (report/formats/html.cc): the records of report/record.h, which leave out what is
// empty, and around them what is known beside.

export interface Frame {
  function?: string;
  file?: string;
  directory?: string;
  line?: number;
  column?: number;
  module?: string;
  offset?: string;
  library?: boolean;
}

export interface Lock {
  name?: string;
  address: string;
  mode?: string;
  taken_at?: Frame;
}

export interface Access {
  op: string;
  size: number;
  thread: number;
  thread_name?: string;
  thread_created_at?: Frame[];
  site?: Frame;
  stack?: Frame[];
  stack_lost?: boolean;
  locks?: Lock[];
  expression?: string;
  site_id?: string;
}

export interface Location {
  name?: string;
  object?: string;
  address: string;
  size?: number;
  object_size?: number;
  offset?: number;
  kind: string;
  declared_at?: Frame;
  allocated_at?: Frame[];
  owner?: number;
  owner_name?: string;
}

export interface RaceRecord {
  record: 'race' | 'flag';
  id: string;
  count: number;
  location: Location;
  accesses: [Access, Access];
  suppressed?: boolean;
  suppressed_by?: string;
}

export interface HazardRecord {
  record: 'hazard';
  id: string;
  kind: string;
  title: string;
  places: string;
  steps: { thread: number; thread_name?: string; does: string; stack?: Frame[] }[];
}

export interface Confirmation {
  runs: number;
  confirmed: number;
  token?: string;
  strategy?: string;
  met?: { site: string }[]; // in the order in which they went, in the token's schedule
}

export interface HistoryEvent {
  time: string;
  words: string;
}

export interface Finding {
  title: string; // "account.balance", "lock order: a, b are taken in different orders: …"
  standing: string; // confirmed, observed, proved, predicted, static, flag
  words: string; // "confirmed in 20 of 20 runs"
  variable: number; // findings with the same number are about one variable
  values?: [string, string]; // of the two accesses: "3 → 4"; empty: not known
  record: RaceRecord | HazardRecord;
  confirmation: Confirmation | null;
  class?: { name: string; consequence?: string; k?: number; evidence?: string };
  history?: HistoryEvent[];
}

// A step: thread, number of its operation, number of its place (-1: none), site, threads that could have gone on.
export type Step = [number, number, number, string, number];

export interface Schedule {
  decisions: number; // of which the steps are the beginning
  operations: string[];
  places: string[];
  steps: Step[];
}

export interface Run {
  program?: string;
  command?: string[];
  engine?: string;
  front_end?: string;
  exit: number;
  complete: boolean;
  notes?: string[];
  stats: { accesses: number; threads: number; seconds: number };
  started?: string;
  directory?: string;
  build?: string;
  commit?: string;
}

export interface Model {
  norn: 1;
  version: string;
  base: string; // paths below it are shown without it
  run: Run;
  findings: Finding[];
  sources: Record<string, Record<string, string>>; // by path and line
  schedules: Record<string, Schedule>; // by token
}

export const isRace = (finding: Finding): finding is Finding & { record: RaceRecord } => finding.record.record !== 'hazard';

// Where a frame's file should lie; the keys of `sources` are made alike (report/source.h).
export function fullPath(frame: Frame): string {
  const file = frame.file ?? '';
  const path = file.startsWith('/') || !frame.directory ? file : `${frame.directory}/${file}`;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    const last = parts[parts.length - 1];
    if (part === '.' || (part === '' && parts.length > 0)) continue;
    if (part === '..' && last !== undefined && last !== '..' && last !== '') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}

export function shownPath(frame: Frame, base: string): string {
  const path = fullPath(frame);
  return base !== '' && path.startsWith(base) ? path.slice(base.length) : path;
}

const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

export function place(frame: Frame | undefined, base: string): string {
  if (frame === undefined) return '';
  if (!frame.file) return frame.module ? `${baseName(frame.module)}+${frame.offset ?? '0x0'}` : '';
  const path = shownPath(frame, base);
  return frame.line ? `${path}:${frame.line}` : path;
}

// The statement an access stands in: what the record says, else the innermost frame of the program's own code.
export function siteOf(access: Access): Frame {
  if (access.site?.function || access.site?.file || access.site?.module) return access.site;
  const stack = access.stack ?? [];
  return stack.find((frame) => !frame.library) ?? stack[0] ?? {};
}

export const threadWords = (number: number, name?: string) => (name ? `thread ${number} “${name}”` : `thread ${number}`);

export const lockName = (lock: Lock) => lock.name || `lock ${lock.address}`;

export interface Part {
  thread: number;
  thread_name?: string;
  site: Frame;
  words: string;
}

// The statements of a finding, as lists and filters want them.
export function partsOf(finding: Finding): Part[] {
  const { record } = finding;
  if (record.record !== 'hazard')
    return record.accesses.map((access) => ({
      thread: access.thread,
      thread_name: access.thread_name,
      site: siteOf(access),
      words: access.op,
    }));
  return record.steps.map((step) => ({
    thread: step.thread,
    thread_name: step.thread_name,
    site: step.stack?.find((frame) => !frame.library) ?? step.stack?.[0] ?? {},
    words: step.does,
  }));
}

export const grouped = (number: number) => number.toLocaleString('en-US');
export const counted = (number: number, word: string) => `${grouped(number)} ${word}${number === 1 ? '' : 's'}`;
