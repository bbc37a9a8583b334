import { exporterKeys, isExportedKey, type RegistryEntry } from '@weir/cluster';
import { secretNamesIn } from '@weir/core';
import type { AskMachine } from './ask-machine.ts';

/** What an exporter of the registry says about itself. */
interface ExporterStatus {
  readonly state: string;
  /** The revision up to which it copied everything. */
  readonly offset: number;
  readonly generation: number;
}

/** An exporter that is not paused. */
export interface RunningExporter extends ExporterStatus {
  readonly name: string;
  /** The secrets that its config refers to. */
  readonly secretNames: readonly string[];
}

/** The exporters of the registry of a cluster. It reads each change of the registry once. */
export class ExporterIndex {
  readonly #ask: AskMachine;
  /** Their names, with the secrets that they refer to. */
  readonly #exporters = new Map<string, readonly string[]>();
  readonly #statuses = new Map<string, ExporterStatus>();
  #revision = 0;
  #startRevision = 0;
  #changedRevision = 0;

  constructor(ask: AskMachine) {
    this.#ask = ask;
  }

  /** The revision of the last change that exporters may have to copy. */
  get changedRevision(): number {
    return this.#changedRevision;
  }

  /** Those that are not paused. */
  *running(): Generator<RunningExporter> {
    for (const [name, secretNames] of this.#exporters) {
      const status = this.#statuses.get(name);
      if (status !== undefined && status.state !== 'PAUSED') yield { name, secretNames, ...status };
    }
  }

  async refresh(): Promise<void> {
    for (;;) {
      const { revision, entries, isComplete, restarts } = await this.#ask((machine) =>
        machine.readRegistry({
          afterRevision: this.#revision,
          startRevision: this.#startRevision,
          bytesMax: Number.MAX_SAFE_INTEGER,
        }),
      );
      if (restarts) this.#clear();
      if (this.#startRevision === 0) this.#startRevision = revision;
      for (const entry of entries) this.#apply(entry);
      this.#revision = isComplete ? revision : entries.at(-1)!.revision;
      if (isComplete) return;
    }
  }

  #clear(): void {
    this.#exporters.clear();
    this.#statuses.clear();
    this.#startRevision = 0;
    this.#changedRevision = 0;
  }

  #apply({ key, value, revision }: RegistryEntry): void {
    if (isExportedKey(key)) {
      this.#changedRevision = revision;
      return;
    }
    const { definitions, statuses } = exporterKeys;
    if (key.startsWith(definitions)) {
      const name = key.slice(definitions.length);
      if (value === null) this.#exporters.delete(name);
      else this.#exporters.set(name, readSecretNames(value));
      return;
    }
    const name = key.slice(statuses.length);
    const status = value === null ? undefined : readStatus(value);
    if (status === undefined) this.#statuses.delete(name);
    else this.#statuses.set(name, status);
  }
}

function readStatus(value: Uint8Array): ExporterStatus | undefined {
  try {
    const { state, offset, generation = 0 } = JSON.parse(Buffer.from(value).toString()) as ExporterStatus;
    return { state, offset, generation };
  } catch {
    // Of a later release.
    return undefined;
  }
}

function readSecretNames(value: Uint8Array): readonly string[] {
  try {
    const { config = {} } = JSON.parse(Buffer.from(value).toString()) as { config?: Record<string, unknown> };
    return secretNamesIn(Object.values(config).filter((text) => typeof text === 'string'));
  } catch {
    // Of a later release.
    return [];
  }
}
