import type { Clock } from '@weir/core';
import { registryLimits } from '../limits.ts';
import type { ExporterAnswer, ExporterStatusAnswer } from '../registry-answers.ts';
import type { RegistryChange } from '../registry-change.ts';
import { RegistryError } from '../registry-error.ts';
import type { RegistryStore } from '../registry-store.ts';
import { withoutUndefined } from '../state/metadata.ts';
import { entryKeys, put, remove, type StoredExporterStatus } from '../state/registry-entries.ts';
import type { RegistryState } from '../state/registry-state.ts';
import { BodyReader } from './body-reader.ts';
import { readFresh, writeFresh } from './store-access.ts';

const contextTypes = ['AUTO', 'CUSTOM', 'NONE', 'DEFAULT'] as const;
const renameFormat = `\${subject}`;
const textCharsMax = 16 * 1024;

const reader: BodyReader = new BodyReader('invalidExporter');

/** Settings of an exporter that hold a secret. Answers hide them. */
const secretSetting = /password|secret|user\.info|token|private|credential|jaas|\bkey\b/i;
/** Settings that say where secrets are sent. */
const addressSetting = /url|proxy|host|endpoint/i;
const hidden = '[hidden]';

/** The exporters of a registry: what they copy, and whether they run. Their loops run elsewhere. */
export class ExporterService {
  readonly #store: RegistryStore;
  readonly #clock: Clock;

  constructor({ store, clock }: { readonly store: RegistryStore; readonly clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** `GET /exporters` */
  async list(): Promise<string[]> {
    return [...this.#store.state.exporters().keys()].sort();
  }

  /** `POST /exporters` */
  async create(body: unknown): Promise<{ readonly name: string }> {
    const object = reader.object(body);
    const name = reader.text(object, 'name', registryLimits.registryNameCharsMax);
    if (name === undefined || !/^[\w.-]+$/.test(name))
      reader.refuse(
        'The field name is missing, or has other characters than letters, digits, ".", "_" and "-".',
      );
    const exporter = readExporter(name, object, undefined);
    return this.#write((state) => {
      if (state.exporters().has(name))
        throw new RegistryError('exporterExists', `Exporter ${name} already exists.`);
      if (state.exporters().size >= registryLimits.exportersMax)
        reader.refuse(
          `The registry has ${registryLimits.exportersMax} exporters, the most that it may have.`,
        );
      return {
        changes: [putExporter(exporter), this.#putStatus(name, { state: 'STARTING', offset: 0 })],
        reply: { name },
      };
    });
  }

  /** `GET /exporters/{name}` */
  async get(name: string): Promise<ExporterAnswer> {
    const exporter = await readFresh(this.#store, (state) => exporterOf(state, name));
    return { ...exporter, config: withoutSecrets(exporter.config) };
  }

  /** `PUT /exporters/{name}`: what the body leaves out stays as it is. */
  async update(name: string, body: unknown): Promise<{ readonly name: string }> {
    const object = reader.object(body);
    return this.#write((state) => ({
      changes: [putExporter(readExporter(name, object, exporterOf(state, name)))],
      reply: { name },
    }));
  }

  /** `DELETE /exporters/{name}` */
  async delete(name: string): Promise<void> {
    await this.#write((state) => {
      exporterOf(state, name);
      const changes = [remove(entryKeys.exporter(name)), remove(entryKeys['exporter-status'](name))];
      return { changes, reply: undefined };
    });
  }

  /** `GET /exporters/{name}/status` */
  async status(name: string): Promise<ExporterStatusAnswer> {
    return readFresh(this.#store, (state) => {
      exporterOf(state, name);
      return { name, ...statusOf(state, name) };
    });
  }

  /** `GET /exporters/{name}/config` */
  async config(name: string): Promise<Readonly<Record<string, string>>> {
    const { config } = await this.get(name);
    return config;
  }

  /** `PUT /exporters/{name}/config` */
  async putConfig(name: string, body: unknown): Promise<{ readonly name: string }> {
    return this.update(name, { config: reader.object(body) });
  }

  /** `PUT /exporters/{name}/pause`, `/resume` and `/reset`. A reset exporter copies everything again. */
  async control(name: string, action: 'pause' | 'resume' | 'reset'): Promise<{ readonly name: string }> {
    return this.#write((state) => {
      exporterOf(state, name);
      const status = statusOf(state, name);
      const next = {
        pause: { state: 'PAUSED', offset: status.offset },
        resume: { state: 'STARTING', offset: status.offset },
        reset: { state: status.state === 'PAUSED' ? 'PAUSED' : 'STARTING', offset: 0 },
      } as const;
      return { changes: [this.#putStatus(name, next[action])], reply: { name } };
    });
  }

  /** All exporters with their secrets, for the loops that run them. */
  definitions(): readonly ExporterAnswer[] {
    return [...this.#store.state.exporters().values()];
  }

  /**
   * Records how far a loop has come. The report is dropped if the exporter was paused, reset or deleted meanwhile: the
   * loop then reads its status and starts anew.
   */
  async report(
    name: string,
    seen: ExporterStatusAnswer,
    status: Omit<StoredExporterStatus, 'ts'>,
  ): Promise<boolean> {
    return this.#write((state) => {
      const current = state.exporters().has(name) ? statusOf(state, name) : undefined;
      const isStale = current === undefined || current.ts !== seen.ts || current.state !== seen.state;
      return { changes: isStale ? [] : [this.#putStatus(name, status)], reply: !isStale };
    });
  }

  #putStatus(name: string, status: Omit<StoredExporterStatus, 'ts'>): RegistryChange {
    const stored = withoutUndefined<StoredExporterStatus>({ ...status, ts: this.#clock.nowMs() });
    return put('exporter-status', entryKeys['exporter-status'](name), stored);
  }

  #write<Reply>(
    decide: (state: RegistryState) => { readonly changes: readonly RegistryChange[]; readonly reply: Reply },
  ): Promise<Reply> {
    return writeFresh(this.#store, decide);
  }
}

function exporterOf(state: RegistryState, name: string): ExporterAnswer {
  const exporter = state.exporters().get(name);
  if (exporter === undefined) throw new RegistryError('exporterNotFound', `Exporter ${name} not found.`);
  return exporter;
}

function statusOf(state: RegistryState, name: string): StoredExporterStatus {
  return state.exporterStatus(name) ?? { state: 'STARTING', offset: 0, ts: 0 };
}

function putExporter(exporter: ExporterAnswer): RegistryChange {
  return put('exporter', entryKeys.exporter(exporter.name), exporter);
}

function readExporter(
  name: string,
  object: Readonly<Record<string, unknown>>,
  old: ExporterAnswer | undefined,
): ExporterAnswer {
  const typeName = reader.text(object, 'contextType')?.toUpperCase() ?? old?.contextType ?? 'AUTO';
  const contextType = contextTypes.find((known) => known === typeName);
  if (contextType === undefined) reader.refuse(`The contextType is none of ${contextTypes.join(', ')}.`);
  const context = reader.text(object, 'context', registryLimits.subjectCharsMax) ?? old?.context;
  if (contextType === 'CUSTOM' && (context === undefined || context === ''))
    reader.refuse('An exporter of the contextType CUSTOM needs a context.');
  const config = readConfig(object, old);
  if (config['schema.registry.url'] === undefined) reader.refuse('The config needs schema.registry.url.');
  return withoutUndefined<ExporterAnswer>({
    name,
    contextType,
    context,
    subjects: reader.texts(object, 'subjects', registryLimits.exporterSubjectsMax) ?? old?.subjects ?? ['*'],
    subjectRenameFormat:
      reader.text(object, 'subjectRenameFormat', registryLimits.subjectCharsMax) ??
      old?.subjectRenameFormat ??
      renameFormat,
    config,
  });
}

/**
 * A client that sends back what it was shown means the secrets that it was not shown. Not with another address: who may
 * change an exporter could have its secrets sent to a place of its own.
 */
function readConfig(
  object: Readonly<Record<string, unknown>>,
  old: ExporterAnswer | undefined,
): Readonly<Record<string, string>> {
  const given = reader.textMap(object, 'config');
  if (given === undefined) return old?.config ?? {};
  if (JSON.stringify(given).length > textCharsMax)
    reader.refuse(`The config is larger than ${textCharsMax} bytes.`);
  const before = new Map(Object.entries(old?.config ?? {}));
  const entries = Object.entries(given).map(([setting, value]) => {
    const earlier = before.get(setting);
    const isMeant = earlier !== undefined && value !== earlier && value === shown(setting, earlier);
    return { setting, value: isMeant ? earlier : value, isMeant };
  });
  const isMoved = entries.some(
    ({ setting, value }) => addressSetting.test(setting) && value !== before.get(setting),
  );
  if (isMoved && entries.some(({ isMeant }) => isMeant))
    reader.refuse(`Send the values that are shown as ${hidden} again if the address changes.`);
  return Object.fromEntries(entries.map(({ setting, value }) => [setting, value]));
}

function withoutSecrets(config: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(config).map(([setting, value]) => [setting, shown(setting, value)]),
  );
}

/** Addresses may contain a user and a password. */
function shown(setting: string, value: string): string {
  return secretSetting.test(setting) ? hidden : value.replaceAll(/\/\/[^/@,]*@/g, `//${hidden}@`);
}
