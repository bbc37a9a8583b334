import type { SettingToSeal } from '@weir/cluster';
import type { AllowedHosts } from '@weir/cluster/outbound';
import {
  type Clock,
  coreLimits,
  isSecretReference,
  looksSealed,
  problemOfSecretReferences,
  sealedReference,
  secretNamesIn,
} from '@weir/core';
import { parseRegistryAddresses } from '../client/registry-address.ts';
import { autoContext } from '../copying/linked-contexts.ts';
import { destinationOptions, InvalidDestination } from '../exporting/destination-options.ts';
import {
  ExportedSubjects,
  problemOfPattern,
  problemOfRenameFormat,
  usualRenameFormat,
} from '../exporting/exported-subjects.ts';
import { registryLimits } from '../limits.ts';
import type { ExporterAnswer, ExporterState, ExporterStatusAnswer } from '../registry-answers.ts';
import type { RegistryChange } from '../registry-change.ts';
import { RegistryError } from '../registry-error.ts';
import type { RegistryStore } from '../registry-store.ts';
import { withoutUndefined } from '../state/metadata.ts';
import { contextOfPath } from '../state/qualified-subject.ts';
import { entryKeys, put, remove, type StoredExporterStatus } from '../state/registry-entries.ts';
import type { RegistryState } from '../state/registry-state.ts';
import { BodyReader, type JsonObject } from './body-reader.ts';
import { readFresh, writeFresh } from './store-access.ts';

const contextTypes = ['AUTO', 'CUSTOM', 'NONE', 'DEFAULT'] as const;
const contextPattern = /^(\.[A-Za-z0-9_-]{1,128})+$/;
const configCharsMax = 64 * 1024;
const traceCharsMax = 1000;

const reader: BodyReader = new BodyReader('invalidExporterConfig', 'invalidExporterConfig');
const nameReader: BodyReader = new BodyReader('invalidExporterName', 'invalidExporterName');
const subjectsReader: BodyReader = new BodyReader('invalidExporterSubjects', 'invalidExporterSubjects');

/** Settings of an exporter that hold a secret. Answers hide them, but not where clients find their credentials. */
const secretSetting = /password|secret|user\.info|token|private|credential(?!s\.source$)|jaas|\bkey\b/i;
/** Settings that say where secrets are sent. */
const addressSetting = /url|proxy|host|endpoint/i;
/** The user and the password in an address. */
const userInAddress = /(?<=\/\/)[^/@,]+(?=@)/g;
const hidden = '[hidden]';

/** Seals secrets, in their order; `null` if nothing can be sealed. */
export type SealSettings = (
  exporter: string,
  settings: readonly SettingToSeal[],
) => Promise<readonly string[] | null>;

type Config = Readonly<Record<string, string>>;

/** Whether the caller may read a subject, or all that a pattern stands for. */
type MayRead = (subject: string) => boolean;

interface ExporterServiceOptions {
  readonly store: RegistryStore;
  readonly clock: Clock;
  readonly clusterId: string;
  /** The hosts that exporters may name; any if absent. */
  readonly allowedHosts?: AllowedHosts | undefined;
  /** Returns those of some named secrets that exporters may not use; not checked if absent. */
  readonly unusableSecrets?: ((names: readonly string[]) => Promise<readonly string[]>) | undefined;
  /** Seals secrets in configs; they are stored as they are if absent. */
  readonly sealSettings?: SealSettings | undefined;
}

/** What the job that runs an exporter needs. */
interface ExporterRun {
  readonly definition: ExporterAnswer;
  readonly offset: number;
}

/** What a job that runs an exporter reports. */
interface ExporterReport {
  readonly state: Exclude<ExporterState, 'PAUSED'>;
  /** As it was if absent. */
  readonly offset?: number | undefined;
  readonly trace?: string | undefined;
}

/** The exporters of a registry: what they copy, and whether they run. Jobs of agents run them. */
export class ExporterService {
  readonly #store: RegistryStore;
  readonly #clock: Clock;
  readonly #clusterId: string;
  readonly #allowedHosts: AllowedHosts | undefined;

  readonly #unusableSecrets: ExporterServiceOptions['unusableSecrets'];
  readonly #sealSettings: SealSettings | undefined;

  constructor(options: ExporterServiceOptions) {
    const { store, clock, clusterId, allowedHosts, unusableSecrets, sealSettings } = options;
    this.#sealSettings = sealSettings;
    this.#allowedHosts = allowedHosts;
    this.#unusableSecrets = unusableSecrets;
    this.#store = store;
    this.#clock = clock;
    this.#clusterId = clusterId;
  }

  /** `GET /exporters` */
  async list(): Promise<string[]> {
    return [...this.#store.state.exporters().keys()].sort();
  }

  /** `POST /exporters` */
  async create(body: unknown, mayRead?: MayRead): Promise<{ readonly name: string }> {
    const object = reader.object(body);
    const name = nameReader.text(object, 'name', registryLimits.registryNameCharsMax);
    if (name === undefined || !/^[\w.-]+$/.test(name))
      nameReader.refuse(
        'The field name is missing, or has other characters than letters, digits, ".", "_" and "-".',
      );
    const read = this.#readExporter(name, object, undefined);
    await this.#requireSecrets(read.config);
    const seal = await this.#sealing(name, read.config);
    const exporter = { ...read, config: seal(read.config) };
    // Not that of an exporter that had the name before.
    const first = { state: 'STARTING', offset: 0, generation: this.#clock.nowMs() } as const;
    return this.#write((state) => {
      if (state.exporters().has(name))
        throw new RegistryError('exporterExists', `Exporter ${name} already exists.`);
      if (state.exporters().size >= registryLimits.exportersMax)
        throw new RegistryError(
          'tooManyExporters',
          `The registry has reached its limit of ${registryLimits.exportersMax} exporters; delete one first.`,
        );
      requireReadable(state, exporter, mayRead);
      return {
        changes: [putExporter(exporter), this.#putStatus(name, first)],
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
  async update(name: string, body: unknown, mayRead?: MayRead): Promise<{ readonly name: string }> {
    const object = reader.object(body);
    const given = reader.textMap(object, 'config') ?? {};
    await this.#requireSecrets(given);
    const seal = await this.#sealing(name, given);
    return this.#write((state) => {
      const old = exporterOf(state, name);
      requirePaused(state, name);
      const exporter = this.#readExporter(name, object, old);
      requireReadable(state, exporter, mayRead);
      return { changes: [putExporter({ ...exporter, config: seal(exporter.config) })], reply: { name } };
    });
  }

  /** `DELETE /exporters/{name}` */
  async delete(name: string): Promise<void> {
    await this.#write((state) => {
      exporterOf(state, name);
      requirePaused(state, name);
      const changes = [remove(entryKeys.exporter(name)), remove(entryKeys['exporter-status'](name))];
      return { changes, reply: undefined };
    });
  }

  /** `GET /exporters/{name}/status` */
  async status(name: string): Promise<ExporterStatusAnswer> {
    return readFresh(this.#store, (state) => {
      exporterOf(state, name);
      const { state: shownState, offset, ts, trace = '' } = statusOf(state, name);
      return { name, state: shownState, offset, ts, trace };
    });
  }

  /** `GET /exporters/{name}/config` */
  async config(name: string): Promise<Readonly<Record<string, string>>> {
    const { config } = await this.get(name);
    return config;
  }

  /** `PUT /exporters/{name}/config` */
  async putConfig(name: string, body: unknown, mayRead?: MayRead): Promise<{ readonly name: string }> {
    return this.update(name, { config: reader.object(body) }, mayRead);
  }

  /**
   * `PUT /exporters/{name}/pause`, `/resume` and `/reset`. A reset exporter copies everything again when it is resumed.
   */
  async control(
    name: string,
    action: 'pause' | 'resume' | 'reset',
    mayRead?: MayRead,
  ): Promise<{ readonly name: string }> {
    return this.#write((state) => {
      const exporter = exporterOf(state, name);
      if (action === 'resume') requireReadable(state, exporter, mayRead);
      if (action === 'reset') requirePaused(state, name);
      const { state: before, offset, generation = 0 } = statusOf(state, name);
      const isDone = action === 'pause' ? before === 'PAUSED' : action === 'resume' && before === 'RUNNING';
      if (isDone) return { changes: [], reply: { name } };
      const next = {
        pause: { state: 'PAUSED', offset },
        resume: { state: 'STARTING', offset },
        reset: { state: 'PAUSED', offset: 0 },
      } as const;
      return {
        changes: [this.#putStatus(name, { ...next[action], generation: generation + 1 })],
        reply: { name },
      };
    });
  }

  /** What a job of a generation runs, with secrets; `undefined` if users paused, changed or deleted it since. */
  run(name: string, generation: number): ExporterRun | undefined {
    const { state } = this.#store;
    const definition = state.exporters().get(name);
    const status = statusOf(state, name);
    if (definition === undefined || !isOf(generation, status)) return undefined;
    return { definition, offset: status.offset };
  }

  /** The exporters whose config refers to a secret, by name. */
  usersOfSecret(secretName: string): readonly string[] {
    return [...this.#store.state.exporters()]
      .filter(([, { config }]) => secretNamesIn(Object.values(config)).includes(secretName))
      .map(([name]) => name)
      .sort();
  }

  /** Refuses a config that refers to secrets that are not there, or not for exporters. */
  async #requireSecrets(config: Readonly<Record<string, string>>): Promise<void> {
    for (const [setting, value] of Object.entries(config)) {
      const problem = problemOfSecretReferences(value);
      if (problem !== undefined) reader.refuse(`The setting ${setting.slice(0, 100)} ${problem}.`);
      if (looksSealed(value))
        reader.refuse(
          `The setting ${setting.slice(0, 100)} has \${sealed:, which is not for values of users.`,
        );
      // Errors name the address.
      if (addressSetting.test(setting) && secretNamesIn([value]).length > 0)
        reader.refuse(`The setting ${setting.slice(0, 100)} cannot refer to a secret.`);
    }
    const all = Object.values(config).join('\n');
    const problem = problemOfSecretReferences(all);
    if (problem !== undefined) reader.refuse(`The config ${problem}.`);
    const names = secretNamesIn([all]);
    if (names.length === 0 || this.#unusableSecrets === undefined) return;
    const [missing] = await this.#unusableSecrets(names);
    if (missing !== undefined)
      reader.refuse(
        `The config refers to the secret ${missing}, which does not exist or does not allow exporters.`,
      );
  }

  /** Seals the secrets that users wrote into a config, and returns how to put them into one. */
  async #sealing(name: string, given: Config): Promise<(config: Config) => Config> {
    const settings = Object.entries(given).flatMap(([setting, text]) =>
      directSecretsIn(setting, text).map((value) => ({ setting, value })),
    );
    if (settings.length === 0 || this.#sealSettings === undefined) return (config) => config;
    if (settings.length > coreLimits.secretReferencesMax)
      reader.refuse(`The config has more than ${coreLimits.secretReferencesMax} secrets.`);
    const sealed = await this.#sealSettings(name, settings);
    if (sealed === null) return (config) => config;
    const forms = new Map(
      settings.map(({ setting, value }, at) => [`${setting} ${value}`, sealedReference(sealed[at]!)]),
    );
    return (config) =>
      Object.fromEntries(
        Object.entries(config).map(([setting, text]) => {
          const formOf = (value: string) => forms.get(`${setting} ${value}`) ?? value;
          return [
            setting,
            secretSetting.test(setting) ? formOf(text) : text.replaceAll(userInAddress, formOf),
          ];
        }),
      );
  }

  /** Stores how far a job has come. Returns whether it may go on; if not, nothing is stored. */
  async report(name: string, generation: number, report: ExporterReport): Promise<boolean> {
    return this.#write((state) => {
      const status = statusOf(state, name);
      if (!state.exporters().has(name) || !isOf(generation, status)) return { changes: [], reply: false };
      const { offset = status.offset } = report;
      const trace = report.trace?.slice(0, traceCharsMax);
      // The same failure, again and again, is no news.
      const isNews = status.state !== report.state || status.offset !== offset || status.trace !== trace;
      const next = { state: report.state, offset, trace, generation: status.generation };
      return { changes: isNews ? [this.#putStatus(name, next)] : [], reply: true };
    });
  }

  #putStatus(name: string, status: Omit<StoredExporterStatus, 'ts'>): RegistryChange {
    const stored = withoutUndefined<StoredExporterStatus>({ ...status, ts: this.#clock.nowMs() });
    return put('exporter-status', entryKeys['exporter-status'](name), stored);
  }

  #readExporter(name: string, object: JsonObject, old: ExporterAnswer | undefined): ExporterAnswer {
    const typeName = reader.text(object, 'contextType')?.toUpperCase() ?? old?.contextType ?? 'AUTO';
    const contextType = contextTypes.find((known) => known === typeName);
    if (contextType === undefined)
      reader.refuse(`The contextType must be one of ${contextTypes.join(', ')}.`);
    const subjectRenameFormat =
      reader.text(object, 'subjectRenameFormat', registryLimits.subjectCharsMax) ??
      old?.subjectRenameFormat ??
      usualRenameFormat;
    const problem = problemOfRenameFormat(subjectRenameFormat);
    if (problem !== undefined) reader.refuse(problem);
    return withoutUndefined<ExporterAnswer>({
      name,
      contextType,
      context: this.#readContext(contextType, object, old),
      subjects: readSubjects(object, old),
      subjectRenameFormat,
      config: readConfig(object, old, this.#allowedHosts),
    });
  }

  #readContext(
    contextType: ExporterAnswer['contextType'],
    object: JsonObject,
    old: ExporterAnswer | undefined,
  ): string | undefined {
    const given = reader.text(object, 'context', registryLimits.subjectCharsMax);
    if (contextType === 'NONE' || contextType === 'DEFAULT') return undefined;
    if (contextType === 'AUTO')
      return old?.contextType === 'AUTO' ? old.context : autoContext(this.#clusterId);
    const context = given ?? (old?.contextType === 'CUSTOM' ? old.context : undefined);
    if (context === undefined || context === '')
      reader.refuse('An exporter of the contextType CUSTOM needs a context.');
    const named = contextOfPath(context);
    if (!contextPattern.test(named)) reader.refuse('The context must be a name such as .copy.');
    return named;
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

/** A job of an earlier generation, or of one that was paused, has nothing more to do. */
function isOf(generation: number, status: StoredExporterStatus): boolean {
  return status.state !== 'PAUSED' && (status.generation ?? 0) === generation;
}

/** Subjects that are there are checked as well: the caller may read all that begin with a text but some of them. */
function requireReadable(state: RegistryState, exporter: ExporterAnswer, mayRead: MayRead | undefined): void {
  if (mayRead === undefined) return;
  const exported = new ExportedSubjects(exporter);
  const present = state.subjects().values();
  const isReadable =
    exporter.subjects.every(mayRead) &&
    present.every((subject) => !exported.isExported(subject) || mayRead(subject));
  // The message names no subject that the caller may not see.
  if (!isReadable)
    throw new RegistryError('denied', 'The operation READ is denied on subjects that the exporter copies.');
}

function requirePaused(state: RegistryState, name: string): void {
  if (statusOf(state, name).state !== 'PAUSED')
    throw new RegistryError('exporterNotPaused', `Exporter ${name} is not paused: pause it first.`);
}

function putExporter(exporter: ExporterAnswer): RegistryChange {
  return put('exporter', entryKeys.exporter(exporter.name), exporter);
}

/** Clients that mean all subjects of the default context send an empty list, too. */
function readSubjects(object: JsonObject, old: ExporterAnswer | undefined): readonly string[] {
  const given = subjectsReader.texts(object, 'subjects', registryLimits.exporterSubjectsMax);
  if (given === undefined) return old?.subjects ?? ['*'];
  for (const subject of given) {
    if (subject.length > registryLimits.subjectCharsMax)
      subjectsReader.refuse(`A subject has more than ${registryLimits.subjectCharsMax} characters.`);
    const problem = problemOfPattern(subject);
    if (problem !== undefined) subjectsReader.refuse(problem);
  }
  return given.length === 0 ? ['*'] : given;
}

/**
 * A client that sends back what it was shown means the secrets that it was not shown. Not with another address: who may
 * change an exporter could have its secrets sent to a place of its own.
 */
function readConfig(
  object: JsonObject,
  old: ExporterAnswer | undefined,
  allowedHosts: AllowedHosts | undefined,
): Readonly<Record<string, string>> {
  const given = reader.textMap(object, 'config');
  if (given === undefined && old !== undefined) return old.config;
  if (given === undefined) reader.refuse('The field config is missing.');
  if (JSON.stringify(given).length > configCharsMax)
    reader.refuse(`The config has more than ${configCharsMax} characters.`);
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
  const config = Object.fromEntries(entries.map(({ setting, value }) => [setting, value]));
  try {
    const { urls } = destinationOptions(config);
    for (const { url } of allowedHosts === undefined ? [] : parseRegistryAddresses(urls)) {
      const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
      const problem = allowedHosts!.problemOf(url.hostname, port);
      if (problem !== undefined) reader.refuse(`The host ${url.hostname} ${problem}.`);
    }
  } catch (error) {
    if (error instanceof InvalidDestination) reader.refuse(error.message);
    throw error;
  }
  return config;
}

function withoutSecrets(config: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(config).map(([setting, value]) => [setting, shown(setting, value)]),
  );
}

/** Addresses may contain a user and a password. */
function shown(setting: string, value: string): string {
  if (isSecretReference(value)) return value;
  return secretSetting.test(setting) ? hidden : value.replaceAll(/\/\/[^/@,]*@/g, `//${hidden}@`);
}

/** The secrets of a setting as users wrote them. Those that they were not shown, and named ones, are none. */
function directSecretsIn(setting: string, text: string): readonly string[] {
  if (secretNamesIn([text]).length > 0) return [];
  const parts = secretSetting.test(setting) ? [text] : text.match(userInAddress);
  return [...new Set(parts ?? [])].filter((part) => part !== '' && part !== hidden);
}
