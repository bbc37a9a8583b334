import { NewerFormat } from '@weir/cluster';
import type { Log } from '@weir/core';
import type { Journal } from '@weir/journal';
import type { Machine, MachineKind } from './machine-kind.ts';

/** The number of entries per read. */
const entriesPerRead = 5_000;
/** The cost of an entry beyond its bytes, counted towards the next snapshot. */
const entryOverheadBytes = 64;
/** The minimum size of the journal that justifies a snapshot. */
export const defaultSnapshotBytesMin = 16 * 1024 * 1024;

/** A machine and its position in the journal. */
export class Replica {
  readonly machine: Machine;
  position: number;
  /** The position of the newest known snapshot, and its size. */
  #snapshotPosition: number;
  #snapshotBytes: number;
  #bytesSinceSnapshot = 0;
  #isSaving = false;
  #isSound = true;

  constructor(machine: Machine, position: number, snapshotBytes: number) {
    this.machine = machine;
    this.position = position;
    this.#snapshotPosition = position;
    this.#snapshotBytes = snapshotBytes;
  }

  /** Whether the machine equals the journal up to the position. It does not if it failed within an entry. */
  get isSound(): boolean {
    return this.#isSound;
  }

  /** Loads the newest readable snapshot. Without any the replica starts empty, and the journal must be complete. */
  static async load(kind: MachineKind, clusterId: string, journal: Journal, log: Log): Promise<Replica> {
    let positionMax = Number.POSITIVE_INFINITY;
    for (;;) {
      const snapshot = await journal.loadSnapshot(positionMax);
      if (snapshot === undefined) return new Replica(kind.empty(clusterId), 0, 0);
      try {
        return new Replica(kind.restore(snapshot.bytes), snapshot.position, snapshot.bytes.length);
      } catch (error) {
        // Decisions of a newer release are in no older snapshot, and perhaps in no readable entry.
        if (error instanceof NewerFormat) throw error;
        const { position } = snapshot;
        log.error('failed to read snapshot, trying the previous one', { position, error: String(error) });
        positionMax = position - 1;
      }
    }
  }

  /** Reads the journal to its end. Other work runs between two reads. */
  async catchUp(journal: Journal): Promise<void> {
    for (;;) {
      const entries = await journal.read(this.position, entriesPerRead);
      if (entries.length === 0) return;
      this.#isSound = false;
      for (const entry of entries) {
        this.machine.apply(entry);
        this.moved(entry);
      }
      this.#isSound = true;
    }
  }

  /** Counts an entry that the machine has applied. */
  moved(entry: Buffer): void {
    this.position++;
    this.#bytesSinceSnapshot += entry.length + entryOverheadBytes;
  }

  /**
   * Whether a snapshot is due: when the journal since the last one has grown to its size. So writing snapshots never
   * costs more than writing the journal, and reading them back at start never more than twice the state.
   *
   * A leader is `patient` and waits for twice that: if there is a standby, the standby takes the snapshot, and the
   * leader does not have to pause for it.
   */
  isSnapshotDue(patient: boolean, bytesMin: number): boolean {
    if (this.#isSaving) return false;
    const dueBytes = Math.max(bytesMin, this.#snapshotBytes);
    return this.#bytesSinceSnapshot >= (patient ? 2 : 1) * dueBytes;
  }

  /** Saves the state as soon as the journal contains all of it. */
  async saveSnapshot(journal: Journal, whenDurable: () => Promise<void>): Promise<void> {
    this.#isSaving = true;
    try {
      const newest = await journal.snapshotPosition();
      if (newest > this.#snapshotPosition) {
        // Another process took one. How much of the counted journal came after it is unknown; the next one is not far
        // off.
        this.#snapshotPosition = newest;
        this.#bytesSinceSnapshot = 0;
        return;
      }
      const { position } = this;
      const counted = this.#bytesSinceSnapshot;
      const saving = this.machine.beginSave();
      try {
        await whenDurable();
        this.#snapshotBytes = await journal.saveSnapshot(position, saving.slices);
      } finally {
        saving.end();
      }
      this.#snapshotPosition = position;
      this.#bytesSinceSnapshot -= counted;
    } finally {
      this.#isSaving = false;
    }
  }
}
