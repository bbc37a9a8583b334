import { type FilePointers, type FileState, type KnownBucket, readBuckets } from '@weir/cluster';
import type { ObjectStore } from '@weir/storage';
import { type LocatedRecord, locatedRecord } from '../operations/cluster/locate-record.ts';
import { chainFrom, listBackup, listGenerations } from './backup-objects.ts';
import {
  applySegments,
  type BackedUpMachine,
  BackupChanged,
  newestWithObjects,
  RestoreProblem,
  readGeneration,
  recoveryPointOf,
} from './read-backup.ts';

interface MetadataOptions {
  readonly store: ObjectStore;
  readonly clusterId: string;
  /** Called with a line for the user when a step begins. */
  readonly onStep?: (line: string) => void;
}

interface Loaded {
  readonly machine: BackedUpMachine;
  readonly generation: number;
  position: number;
  /** What was decided before this moment is included, by the clock of the control plane that led. */
  recoveryPointMs: number;
}

/** A leader replaces its newest object at every interval. */
const attemptsMax = 5;

/**
 * The metadata of a cluster as its bucket has it, for tools that only read. Nothing is fenced: a leader may go on, and
 * `follow` reads what it has stored meanwhile.
 */
export class BackedUpMetadata {
  readonly #options: MetadataOptions;
  #loaded: Loaded;

  /** Returns `undefined` if the bucket has no backup of the cluster. */
  static async read(options: MetadataOptions): Promise<BackedUpMetadata | undefined> {
    const loaded = await patiently(() => load(options));
    return loaded === undefined ? undefined : new BackedUpMetadata(options, loaded);
  }

  private constructor(options: MetadataOptions, loaded: Loaded) {
    this.#options = options;
    this.#loaded = loaded;
  }

  /** What was decided before this moment is included, by the clock of the control plane that led. */
  get recoveryPointMs(): number {
    return this.#loaded.recoveryPointMs;
  }

  get machine(): Pick<BackedUpMachine, 'describeTopics' | 'findBatches' | 'describeProducers'> {
    return this.#loaded.machine;
  }

  /** Returns `undefined` if there is no such topic or partition. */
  locateRecord(topicName: string, partition: number, offset: number): LocatedRecord | undefined {
    const { machine } = this.#loaded;
    const [topic] = machine.describeTopics([{ name: topicName }]);
    if (topic === null || topic === undefined || partition >= topic.partitionCount) return undefined;
    const { topicId } = topic;
    const [found] = machine.findBatches([{ topicId, partition, offset, bytesMax: 1 }]);
    const [producers] = machine.describeProducers([{ topicId, partition }]);
    return locatedRecord({ clusterId: this.#options.clusterId, topicId, offset }, found!, producers!);
  }

  /** The buckets of the cluster. */
  buckets(): readonly KnownBucket[] {
    return readBuckets(this.#loaded.machine.kv.of('clusterFact'));
  }

  fileStates(fileIds: readonly string[]): FileState[] {
    return this.#loaded.machine.fileStates(fileIds);
  }

  /** Files in the folders `firstFolder` to before `endFolder`, of 256, and all pointers into them. */
  pointersOfFiles(firstFolder: number, endFolder: number): FilePointers {
    return this.#loaded.machine.pointersOfFiles(firstFolder, endFolder);
  }

  /** Reads what the bucket has got since. */
  async follow(): Promise<void> {
    const next = await patiently(() => this.#next());
    if (next === undefined)
      throw new RestoreProblem(`the metadata backup of ${this.#options.clusterId} was deleted meanwhile`);
    this.#loaded = next;
  }

  async #next(): Promise<Loaded | undefined> {
    const { store, clusterId } = this.#options;
    const loaded = this.#loaded;
    const { generation, position, machine } = loaded;
    const newest = await newestWithObjects(this.#options, await listGenerations(store, clusterId));
    const { snapshots, segments } = await listBackup(store, clusterId, generation);
    const chain = chainFrom({ key: '', position }, segments);
    // Entries that were pruned before they were read are in a snapshot.
    const isBroken = (snapshots.at(-1)?.position ?? 0) > chain.endPosition;
    if (newest !== generation || isBroken) return load(this.#options);
    if (chain.endPosition === position) return loaded;
    // One at a time, so that a segment that is replaced meanwhile does not leave entries applied and not counted.
    for (const segment of chain.segments) {
      await applySegments(this.#options, machine, loaded.position, [segment]);
      loaded.position = segment.endPosition;
    }
    loaded.recoveryPointMs = await recoveryPointOf(this.#options, machine, chain);
    return loaded;
  }
}

async function load({ store, clusterId, onStep = () => {} }: MetadataOptions): Promise<Loaded | undefined> {
  const generations = await listGenerations(store, clusterId);
  const generation = await newestWithObjects({ store, clusterId }, generations);
  if (generation === undefined) return undefined;
  const { machine, chain, recoveryPointMs } = await readGeneration({ store, clusterId, onStep }, generation);
  return { machine, generation, position: chain.endPosition, recoveryPointMs };
}

async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof BackupChanged) || attempt === attemptsMax) throw error;
    }
  }
}
