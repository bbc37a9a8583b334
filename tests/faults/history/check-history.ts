import type { FaultEvent, GroupPosition, Written } from './events.ts';

/** Kinds of violations that a history can contain. */
export const defects = {
  lost: 'an acknowledged or already seen record cannot be read',
  duplicate: 'a value is there twice',
  reordered: 'a producer’s records of a partition have changed places',
  aborted: 'a record of a transaction that was not committed is visible',
  torn: 'a part of a transaction is visible, or a copy and its group’s offsets disagree',
  backwards: 'a committed offset is lower than one that was acknowledged before',
  corrupt: 'a record was never written, or lies where it was not acknowledged',
} as const;
export type Defect = keyof typeof defects;

export interface Finding {
  readonly defect: Defect;
  readonly detail: string;
}

export interface Verdict {
  readonly findings: readonly Finding[];
  /** Number of records: acknowledged, and found by the last readers. */
  readonly acknowledged: number;
  readonly read: number;
  readonly transactionsCommitted: number;
  readonly transactionsAborted: number;
  readonly offsetsCommitted: number;
  /** The longest interval without an acknowledgement. */
  readonly worstGapMs: number;
  /** The longest interval without progress of a reader in one partition, a group, or a transactional producer. */
  readonly worstStall: Stall;
}

export interface Stall {
  readonly ms: number;
  /** Empty if no such client made progress twice. */
  readonly client: string;
}

const missingDefects: ReadonlySet<Defect> = new Set(['lost', 'torn']);

type Of<Type extends FaultEvent['type']> = FaultEvent & { readonly type: Type };
type Read = Of<'read'>;

/**
 * Checks the history of what clients saw, after a final read of everything. If the final read was not possible
 * (`isComplete` is false), missing records prove nothing, and only what was seen is checked.
 */
export function checkHistory(history: readonly FaultEvent[], isComplete = true): Verdict {
  const findings: Finding[] = [];
  const find = (defect: Defect, detail: string) => {
    if (isComplete || !missingDefects.has(defect)) findings.push({ defect, detail });
  };
  const of = <Type extends FaultEvent['type']>(type: Type) =>
    history.filter((event): event is Of<Type> => event.type === type);

  const writes = new Map<string, Written>();
  for (const write of of('write')) {
    if (writes.has(write.value)) throw new Error(`the history writes ${write.value} twice`);
    writes.set(write.value, write);
  }
  const commitRequestedAt = new Map<string, number>();
  for (const [index, event] of history.entries())
    if (event.type === 'askCommit') commitRequestedAt.set(event.transaction, index);

  const last = of('read').filter(({ isLast }) => isLast);
  const found = new Map<string, Read[]>();
  for (const read of last) found.set(read.value, [...(found.get(read.value) ?? []), read]);

  checkReads(history, writes, commitRequestedAt, find);
  for (const [value, reads] of found)
    if (reads.length > 1) find('duplicate', `${value} is at ${reads.map(placeOf).join(' and ')}`);
  const acknowledged = new Set(of('acknowledge').map(({ value }) => value));
  const hasPlace = ({ value, isUnorderedUntilAcknowledged }: Written) =>
    isUnorderedUntilAcknowledged !== true || acknowledged.has(value);
  const ordered = new Map([...writes].filter(([, write]) => hasPlace(write)));
  checkOrder(last, ordered, find);

  const committed = new Set(of('committed').map(({ transaction }) => transaction));
  for (const { value, topic, partition, offset } of of('acknowledge')) {
    const { transaction } = writes.get(value)!;
    const reads = found.get(value);
    if (reads === undefined) {
      if (transaction === undefined)
        find('lost', `${value} was acknowledged at ${placeOf({ topic, partition, offset })}`);
    } else if (offset !== undefined && !reads.some((read) => read.offset === offset)) {
      const there = reads.map(placeOf).join(' and ');
      find('corrupt', `${value} was acknowledged at offset ${offset} and is at ${there}`);
    }
  }
  for (const value of new Set(of('read').map((read) => read.value))) {
    if (!found.has(value) && writes.has(value)) find('lost', `${value} was read, and is gone`);
  }
  checkTransactions(writes, found, committed, find);
  checkCopies(history, writes, found, find);
  checkOffsets(history, find);

  return {
    findings,
    acknowledged: of('acknowledge').length,
    read: last.length,
    transactionsCommitted: committed.size,
    transactionsAborted: new Set(of('aborted').map(({ transaction }) => transaction)).size,
    offsetsCommitted: of('offsetsCommitted').length,
    worstGapMs: worstGapMs(history),
    worstStall: worstStall(history),
  };
}

type Find = (defect: Defect, detail: string) => void;

/** Checks each read of a read_committed reader against the history up to it. */
function checkReads(
  history: readonly FaultEvent[],
  writes: ReadonlyMap<string, Written>,
  commitRequestedAt: ReadonlyMap<string, number>,
  find: Find,
): void {
  const values = new Map<string, string>();
  const seen = new Set<string>();
  for (const [index, read] of history.entries()) {
    if (read.type !== 'read') continue;
    const where = `${read.reader} at ${placeOf(read)}`;
    const write = writes.get(read.value);
    if (write === undefined) {
      find('corrupt', `${where}: ${read.value} was never written`);
      continue;
    }
    if (write.topic !== read.topic || write.partition !== read.partition)
      find('corrupt', `${where}: ${read.value} was written to ${write.topic}-${write.partition}`);
    const place = placeOf(read);
    const before = values.get(place) ?? read.value;
    if (before !== read.value) find('corrupt', `${where}: ${read.value} was ${before} before`);
    values.set(place, read.value);
    const { transaction } = write;
    if (transaction !== undefined && (commitRequestedAt.get(transaction) ?? Number.POSITIVE_INFINITY) > index)
      find('aborted', `${where}: ${read.value} of ${transaction}, whose commit was not asked for`);
    const bySame = `${read.reader} ${read.value}`;
    // Reads of the last readers are checked as a whole.
    if (!read.isLast && seen.has(bySame)) find('duplicate', `${where}: ${read.value} was read before`);
    seen.add(bySame);
  }
}

function checkOrder(last: readonly Read[], writes: ReadonlyMap<string, Written>, find: Find): void {
  const order = new Map([...writes.keys()].map((value, index) => [value, index]));
  const before = new Map<string, Read>();
  for (const read of [...last].sort((a, b) => a.offset - b.offset)) {
    const write = writes.get(read.value);
    if (write === undefined) continue;
    const stream = `${write.producer} in ${read.topic}-${read.partition}`;
    const previous = before.get(stream);
    if (previous !== undefined && order.get(previous.value)! > order.get(read.value)!)
      find('reordered', `${stream}: ${read.value} at ${read.offset} lies behind ${previous.value}`);
    before.set(stream, read);
  }
}

function checkTransactions(
  writes: ReadonlyMap<string, Written>,
  found: ReadonlyMap<string, readonly Read[]>,
  committed: ReadonlySet<string>,
  find: Find,
): void {
  const sizes = new Map<string, { all: number; found: number }>();
  for (const { value, transaction } of writes.values()) {
    if (transaction === undefined) continue;
    const size = sizes.get(transaction) ?? { all: 0, found: 0 };
    size.all++;
    if (found.has(value)) size.found++;
    sizes.set(transaction, size);
  }
  for (const [transaction, size] of sizes) {
    if (size.found === size.all) continue;
    if (size.found > 0) find('torn', `${transaction}: ${size.found} of ${size.all} records are visible`);
    else if (committed.has(transaction))
      find('lost', `${transaction} was committed with ${size.all} records`);
  }
}

/** Every record below the group's offset is copied exactly once, and none above it. */
function checkCopies(
  history: readonly FaultEvent[],
  writes: ReadonlyMap<string, Written>,
  found: ReadonlyMap<string, readonly Read[]>,
  find: Find,
): void {
  const copies = new Map<string, string[]>();
  const groups = new Set<string>();
  for (const { value, source } of writes.values()) {
    if (source === undefined) continue;
    groups.add(source.group);
    if (!found.has(value)) continue;
    const key = `${source.group} ${placeOf(source)}`;
    copies.set(key, [...(copies.get(key) ?? []), value]);
  }
  for (const [key, values] of copies)
    if (values.length > 1)
      find('duplicate', `${key} was copied ${values.length} times: ${values.join(', ')}`);
  const originals = history.filter((event): event is Read => event.type === 'read' && event.isLast);
  for (const position of history) {
    if (position.type !== 'offsetFetched' || !position.isLast || !groups.has(position.group)) continue;
    for (const original of originals) {
      if (original.topic !== position.topic || original.partition !== position.partition) continue;
      const key = `${position.group} ${placeOf(original)}`;
      const isBehind = original.offset < position.offset;
      if (isBehind !== copies.has(key)) {
        const what = isBehind ? 'was not copied' : 'was copied';
        find('torn', `${key} ${what}, and the group is at ${position.offset}`);
      }
    }
  }
}

/**
 * An offset that was acknowledged, or returned by a fetch, does not go back. A commit without an answer may take effect
 * later, unless a commit of a later generation came in between: then it is fenced.
 */
function checkOffsets(history: readonly FaultEvent[], find: Find): void {
  const calls = new Map<number, Of<'commitOffset'>[]>();
  const answered = new Set<number>();
  for (const event of history) {
    if (event.type === 'commitOffset') calls.set(event.call, [...(calls.get(event.call) ?? []), event]);
    if (event.type === 'offsetsCommitted') answered.add(event.call);
  }
  const known = new Map<string, { readonly offset: number; readonly generationId: number }>();
  const knownAtFetch = new Map<number, ReadonlyMap<string, { offset: number; generationId: number }>>();
  const learn = (position: GroupPosition, generationId: number) => {
    const key = groupPlaceOf(position);
    const before = known.get(key);
    if (before !== undefined && before.offset > position.offset) return;
    known.set(key, {
      offset: position.offset,
      generationId: Math.max(generationId, before?.generationId ?? -1),
    });
  };
  for (const event of history) {
    if (event.type === 'offsetsCommitted')
      for (const commit of calls.get(event.call) ?? []) learn(commit, commit.generationId);
    if (event.type === 'fetchOffsets') knownAtFetch.set(event.call, new Map(known));
    if (event.type !== 'offsetFetched') continue;
    const key = groupPlaceOf(event);
    const before = knownAtFetch.get(event.call)?.get(key);
    if (before !== undefined && event.offset < before.offset) {
      const mayBe = [...calls.values()]
        .flat()
        .some(
          (commit) =>
            !answered.has(commit.call) &&
            groupPlaceOf(commit) === key &&
            commit.offset === event.offset &&
            commit.generationId >= before.generationId,
        );
      if (!mayBe) find('backwards', `${key} is at ${event.offset}, after ${before.offset}`);
      // The group continues from there, so this is reported only once.
      if (known.get(key)!.offset === before.offset) known.set(key, { ...before, offset: event.offset });
    }
    learn(event, -1);
  }
}

function worstGapMs(history: readonly FaultEvent[]): number {
  let worst = 0;
  let lastMs: number | undefined;
  for (const event of history) {
    if (event.type !== 'acknowledge') continue;
    if (lastMs !== undefined) worst = Math.max(worst, event.atMs - lastMs);
    lastMs = event.atMs;
  }
  return worst;
}

/** The final reads are not counted: they begin when the faults have ended. */
function worstStall(history: readonly FaultEvent[]): Stall {
  let worst: Stall = { ms: 0, client: '' };
  const groupOf = new Map<number, string>();
  const lastMs = new Map<string, number>();
  for (const event of history) {
    if (event.type === 'commitOffset') groupOf.set(event.call, event.group);
    const client = progressOf(event, groupOf);
    if (client === undefined) continue;
    const ms = event.atMs - (lastMs.get(client) ?? event.atMs);
    if (ms > worst.ms) worst = { ms, client };
    lastMs.set(client, event.atMs);
  }
  return worst;
}

function progressOf(event: FaultEvent, groupOf: ReadonlyMap<number, string>): string | undefined {
  // Each partition by itself: an open transaction keeps the readers of one back, and not of others.
  if (event.type === 'read' && !event.isLast) return `${event.reader} in ${event.topic}-${event.partition}`;
  if (event.type === 'offsetsCommitted') return `group ${groupOf.get(event.call)}`;
  // Names of transactions end with a number.
  if (event.type === 'committed') return event.transaction.replace(/-\d+$/, '');
  return undefined;
}

interface RecordPlace {
  readonly topic: string;
  readonly partition: number;
  readonly offset?: number | undefined;
}

function placeOf({ topic, partition, offset }: RecordPlace): string {
  return `${topic}-${partition}@${offset ?? '?'}`;
}

function groupPlaceOf({ group, topic, partition }: GroupPosition): string {
  return `${group} in ${topic}-${partition}`;
}
