import type { Reference, Value } from '@weir/bloblang';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { failedBy, reasonOf } from '../component/failures.ts';
import { object } from '../component/field.ts';
import { list, map, resource, string } from '../component/field-types.ts';
import type { Processor } from '../component/instances.ts';
import type { Batch, Message } from '../component/message.ts';
import { Branch, type BranchResult, branchFields } from './branch.ts';

/** Names of branches that run at the same time, one tier after the other. */
type Order = readonly (readonly string[])[];

/** What became of the branches of one message. */
class Record {
  readonly #succeeded: Set<string>;
  readonly #skipped = new Set<string>();
  readonly #failed = new Map<string, string>();

  constructor(order: Order) {
    this.#succeeded = new Set(order.flat());
  }

  skip(name: string): void {
    this.#succeeded.delete(name);
    this.#skipped.add(name);
  }

  fail(name: string, reason: string): void {
    this.#succeeded.delete(name);
    this.#skipped.delete(name);
    this.#failed.set(name, reason);
  }

  get failed(): string[] {
    return [...this.#failed.keys()].toSorted();
  }

  toValue(previous: Value | undefined): Value {
    return {
      ...(this.#succeeded.size > 0 && { succeeded: [...this.#succeeded].toSorted() }),
      ...(this.#skipped.size > 0 && { skipped: [...this.#skipped].toSorted() }),
      ...(this.#failed.size > 0 && { failed: Object.fromEntries(this.#failed) }),
      ...(previous !== undefined && previous !== null && { previous }),
    };
  }
}

interface Options {
  readonly metaPath: readonly string[];
  /** Empty if it follows from the maps. */
  readonly order: Order;
  readonly branches: ReadonlyMap<string, Branch>;
  /** Labels of processors that are branches. */
  readonly resources: readonly string[];
}

/** Runs branches in the order in which they need each other. */
class Workflow implements Processor {
  readonly #options: Options;
  readonly #context: ComponentContext;
  /** Resources are opened in any order, so they are looked up with the first batch. */
  #flow: { readonly order: Order; readonly branches: ReadonlyMap<string, Branch> } | undefined;

  constructor(options: Options, context: ComponentContext) {
    this.#options = options;
    this.#context = context;
  }

  async process(batch: Batch, stop: AbortSignal): Promise<readonly Batch[]> {
    this.#flow ??= this.#resolved();
    const { order, branches } = this.#flow;
    const { metaPath } = this.#options;
    const skips = batch.map((message) => skippedBranches(message, metaPath, branches));
    const records = batch.map(() => new Record(order));
    let messages = batch;
    for (const tier of order) {
      const before = messages;
      const results = await Promise.all(
        tier.map((name) => branches.get(name)!.results(before, stop, (index) => skips[index]!.has(name))),
      );
      tier.forEach((name, at) => {
        const merged = branches.get(name)!.merged(messages, results[at]!);
        note(name, results[at]!, merged, records);
        messages = messages.map((message, index) => merged[index]!.message ?? message);
      });
    }
    return [messages.map((message, index) => this.#finished(message, records[index]!))];
  }

  /** Writes the record into the document; without a path for it, a failed branch fails the message. */
  #finished(message: Message, record: Record): Message {
    const { metaPath } = this.#options;
    const fail = (error: unknown) => failedBy(message, error, this.#context, 'workflow');
    const { failed } = record;
    if (metaPath.length === 0)
      return failed.length === 0 ? message : fail(`workflow branches failed: [${failed.join(' ')}]`);
    try {
      const document = message.document();
      const previous = valueAt(document, metaPath);
      return message.withValue(withValueAt(document, metaPath, record.toValue(previous)));
    } catch (error) {
      return fail(error);
    }
  }

  #resolved() {
    const { order, resources } = this.#options;
    const branches = new Map(this.#options.branches);
    for (const label of resources) {
      const found = this.#context.resources.get('processor', label);
      if (!(found instanceof Branch)) throw new Error(`processor resource ${label} is not a branch`);
      branches.set(label, found);
    }
    return { order: order.length > 0 ? order : derivedOrder(branches), branches };
  }

  async close(): Promise<void> {
    for (const branch of this.#options.branches.values()) await branch.close();
  }
}

function note(
  name: string,
  results: readonly BranchResult[],
  merged: readonly BranchResult[],
  records: readonly Record[],
): void {
  records.forEach((record, index) => {
    const failure = results[index]!.failure ?? merged[index]!.failure;
    if (failure !== undefined) record.fail(name, failure);
    else if (results[index]!.message === undefined) record.skip(name);
  });
}

/** Branches that an earlier run of the workflow has done or skipped, or that are not among those to apply. */
function skippedBranches(
  message: Message,
  metaPath: readonly string[],
  branches: ReadonlyMap<string, Branch>,
): Set<string> {
  const skipped = new Set<string>();
  if (metaPath.length === 0) return skipped;
  let document: Value;
  try {
    document = message.document();
  } catch (error) {
    reasonOf(error);
    return skipped;
  }
  const names = (key: string): Value[] => {
    const found = valueAt(document, [...metaPath, key]);
    return Array.isArray(found) ? found : [];
  };
  const wanted = names('apply');
  if (wanted.length > 0) for (const name of branches.keys()) if (!wanted.includes(name)) skipped.add(name);
  for (const name of [...names('succeeded'), ...names('skipped')])
    if (typeof name === 'string' && branches.has(name)) skipped.add(name);
  return skipped;
}

/** Each branch comes after those that assign what its request reads. Throws if they need each other in a circle. */
function derivedOrder(branches: ReadonlyMap<string, Pick<Branch, 'references'>>): Order {
  const references = new Map([...branches].map(([name, branch]) => [name, branch.references]));
  const left = new Map(
    [...references].map(([name, { reads }]) => [name, neededBy(name, reads, references)] as const),
  );
  const order: string[][] = [];
  while (left.size > 0) {
    const tier = [...left].filter(([, needs]) => !needs.some((need) => left.has(need))).map(([name]) => name);
    if (tier.length === 0)
      throw new Error(
        `the branches ${[...left.keys()].toSorted().join(', ')} read what each other assigns; set order`,
      );
    for (const name of tier) left.delete(name);
    order.push(tier.toSorted());
  }
  return order;
}

function neededBy(
  name: string,
  reads: readonly Reference[],
  references: ReadonlyMap<string, { readonly writes: readonly Reference[] }>,
): string[] {
  const isRead = (written: Reference) =>
    reads.some(
      ({ of, path }) => of === written.of && written.path.every((segment, index) => path[index] === segment),
    );
  return [...references]
    .filter(([other, { writes }]) => other !== name && writes.some(isRead))
    .map(([other]) => other);
}

/** `~1` is a dot within a name, `~0` a tilde. */
function pathOf(text: string): string[] {
  return text === ''
    ? []
    : text.split('.').map((segment) => segment.replaceAll('~1', '.').replaceAll('~0', '~'));
}

function isObject(value: Value | undefined): value is { [key: string]: Value } {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function valueAt(document: Value, path: readonly string[]): Value | undefined {
  let found: Value | undefined = document;
  for (const name of path) found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  return found;
}

/** A copy of the document with a value at a path; unchanged where a part of the path is no object. */
function withValueAt(document: Value | undefined, [name, ...rest]: readonly string[], value: Value): Value {
  if (name === undefined) return value;
  if (document !== undefined && document !== null && !isObject(document)) return document;
  const inner = document && Object.hasOwn(document, name) ? document[name] : undefined;
  return { ...document, [name]: withValueAt(inner, rest, value) };
}

const namePattern = /^[a-zA-Z0-9_-]+$/;

/** What is wrong with an explicit order. */
function orderProblem(order: Order, names: readonly string[]): string | undefined {
  const empty = order.findIndex((tier) => tier.length === 0);
  if (empty >= 0) return `tier ${empty} of order is empty`;
  const ordered = order.flat();
  const twice = ordered.find((name, index) => ordered.indexOf(name) !== index);
  if (twice !== undefined) return `order has the branch ${twice} twice`;
  const missing = order.length === 0 ? undefined : names.find((name) => !ordered.includes(name));
  return missing === undefined ? undefined : `order has to have the branch ${missing} too`;
}

export const workflow = componentOf('processor', {
  name: 'workflow',
  about: 'Runs branches in the order in which they need each other, those that do not at the same time.',
  fields: {
    meta_path: string('Where in the document the outcome of the branches is noted; nowhere if empty.').or(
      'meta.workflow',
    ),
    order: list(
      'Tiers of branches by name; if empty, the order follows from what the maps read and assign.',
      list('A tier.', string('A branch.')),
    ).or([]),
    branch_resources: list('Processors with a label that are branches.', resource('processor', 'A label.'))
      .or([])
      .advanced(),
    branches: map('Branches by name.', object('A branch.', branchFields)).or({}),
  },
  check({ order, branches, branch_resources: resources }, reading, place) {
    for (const name of branches.keys()) {
      if (!namePattern.test(name))
        reading.problem(place, 'the name of a branch has letters, digits, _ and -');
      if (resources.includes(name)) reading.problem(place, `the branch ${name} has the name of a resource`);
    }
    const problem = orderProblem(order, [...branches.keys(), ...resources]);
    if (problem !== undefined) reading.problem(place, problem);
    // What is no branch of its own is a resource.
    for (const name of order.flat())
      if (!branches.has(name) && !resources.includes(name)) reading.refersTo('processor', name, place);
    if (order.length > 0 || resources.length > 0) return;
    try {
      derivedOrder(
        new Map(
          [...branches].map(([name, { request_map: request, result_map: result }]) => [
            name,
            {
              references: {
                reads: request?.references().reads ?? [],
                writes: result?.references().writes ?? [],
              },
            },
          ]),
        ),
      );
    } catch (error) {
      reading.problem(place, reasonOf(error));
    }
  },
  async open({ meta_path: metaPath, order, branches, branch_resources: labels }, context) {
    const opened = new Map<string, Branch>();
    for (const [name, fields] of branches) opened.set(name, await Branch.open(fields, context));
    const resources = new Set([...labels, ...order.flat()].filter((name) => !branches.has(name)));
    return new Workflow(
      { metaPath: pathOf(metaPath), order, branches: opened, resources: [...resources] },
      context,
    );
  },
});
