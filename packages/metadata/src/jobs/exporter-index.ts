import { exporterKeys, isExportedKey, type RegistryEntry } from '@weir/cluster';
import type { AskMachine } from './ask-machine.ts';

/** What an exporter of the registry says about itself. */
interface ExporterStatus {
  readonly state: string;
  /** The revision up to which it copied everything. */
  readonly offset: number;
  readonly generation: number;
}

/** The exporters of the registry of a cluster. It reads each change of the registry once. */
export class ExporterIndex {
  readonly #ask: AskMachine;
  readonly #names = new Set<string>();
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
  *running(): Generator<ExporterStatus & { readonly name: string }> {
    for (const name of this.#names) {
      const status = this.#statuses.get(name);
      if (status !== undefined && status.state !== 'PAUSED') yield { name, ...status };
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
    this.#names.clear();
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
      if (value === null) this.#names.delete(name);
      else this.#names.add(name);
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
