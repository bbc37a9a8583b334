import { RegistryRefusal } from '../client/client-error.ts';
import type { RegistryClient } from '../client/registry-client.ts';
import { configBody, isEqualConfig } from '../copying/compare-configs.ts';
import { inAnyOrder } from '../copying/in-any-order.ts';
import { LinkingFailed } from '../copying/linking-failed.ts';
import { registryLimits } from '../limits.ts';
import { registryErrors } from '../registry-error.ts';
import { contextScope, parseSubject, referencedSubject } from '../state/qualified-subject.ts';
import type { RegistryState, SubjectVersion } from '../state/registry-state.ts';
import type { ExportedSubjects } from './exported-subjects.ts';

/** What an exporter needs of the registry that it writes to. */
export type ExportDestination = Pick<
  RegistryClient,
  | 'subjects'
  | 'versions'
  | 'schemaOfVersion'
  | 'config'
  | 'mode'
  | 'register'
  | 'deleteSubject'
  | 'deleteVersion'
  | 'putConfig'
  | 'deleteConfig'
  | 'putMode'
  | 'deleteMode'
>;

export interface ExportCounts {
  /** Subjects that were compared. */
  subjects: number;
  newVersions: number;
  /** Versions that were removed at the destination, or marked as deleted. */
  deletedVersions: number;
}

interface CopiesOptions {
  readonly destination: ExportDestination;
  readonly subjects: ExportedSubjects;
  readonly signal: AbortSignal;
  readonly counts: ExportCounts;
  readonly onProgress?: ((counts: ExportCounts) => void) | undefined;
}

/** A subject of the source to copy. */
interface SubjectToCopy {
  readonly subject: string;
  /** The destination is known to have no version of it. */
  readonly isAbsent: boolean;
  /** Versions that may be other ones than before; the newest if absent. */
  readonly changedVersions?: ReadonlySet<number>;
}

/** Versions of a subject at the destination. */
interface TargetVersions {
  readonly all: Set<number>;
  readonly live: Set<number>;
}

interface SubjectPlan {
  readonly subject: string;
  readonly target: string;
  readonly versions: readonly SubjectVersion[];
  readonly found: TargetVersions;
  /** Versions that the destination has and the source has not, or has anew. */
  readonly gone: readonly number[];
}

interface Deletion {
  readonly plan: SubjectPlan;
  /** The whole subject if absent. */
  readonly version?: number;
}

/** Requests to the destination at a time while it is compared. */
const parallelReads = 8;
/** What was there to delete, is not. */
const missing: ReadonlySet<number> = new Set([
  registryErrors.subjectNotFound,
  registryErrors.versionNotFound,
  registryErrors.subjectSoftDeleted,
  registryErrors.versionSoftDeleted,
  registryErrors.subjectHasNoConfig,
  registryErrors.subjectHasNoMode,
]);

/** Makes subjects of a destination equal to those of the source. */
export class SubjectCopies {
  readonly #options: CopiesOptions;
  /** Scopes that are in mode IMPORT. */
  readonly #importing = new Set<string>();
  /** Versions at the destination, of the batch and of what its schemas refer to. */
  #found = new Map<string, TargetVersions>();
  /** Subjects with versions that others refer to, which come later. */
  readonly #again = new Set<string>();

  constructor(options: CopiesOptions) {
    this.#options = options;
  }

  /** Whether nothing waits for subjects that come later. */
  get isSettled(): boolean {
    return this.#again.size === 0;
  }

  async copy(state: RegistryState, subjects: readonly SubjectToCopy[]): Promise<void> {
    const problem = await this.#copy(state, subjects);
    if (problem !== undefined && this.#again.size > registryLimits.linkedSubjectsMax) throw problem;
  }

  /** Copies what had to wait. */
  async finish(state: RegistryState): Promise<void> {
    if (this.isSettled) return;
    const subjects = [...this.#again].map((subject) => ({ subject, isAbsent: false }));
    this.#again.clear();
    const problem = await this.#copy(state, subjects);
    if (problem !== undefined) throw problem;
  }

  /** Copies configs of scopes that are exported, among others. */
  async copyConfigs(state: RegistryState, scopes: readonly string[]): Promise<void> {
    const { subjects, signal, destination } = this.#options;
    for (const scope of scopes) {
      const target = this.#configTarget(scope);
      if (target === undefined) continue;
      signal.throwIfAborted();
      const own = state.config(scope);
      const { context } = parseSubject(scope);
      const wanted =
        own?.alias === undefined ? own : { ...own, alias: subjects.referenceOf(context, own.alias) };
      const found = await destination.config(target, { stop: signal });
      if (isEqualConfig(wanted, found)) continue;
      // A config that is put leaves settings that it does not name.
      if (found !== undefined) await unlessMissing(destination.deleteConfig(target, { stop: signal }));
      if (wanted !== undefined)
        await destination.putConfig(configBody({ ...wanted }), target, { stop: signal });
    }
  }

  /** Configs of contexts are copied only where the exporter has contexts of its own. */
  #configTarget(scope: string): string | undefined {
    const { subjects } = this.#options;
    const { context, subject } = parseSubject(scope);
    if (subject !== '') return subjects.isExported(scope) ? subjects.targetOf(scope) : undefined;
    if (!subjects.hasOwnContexts || !subjects.isWholeContext(context)) return undefined;
    return contextScope(subjects.contextOf(context));
  }

  async #copy(state: RegistryState, subjects: readonly SubjectToCopy[]): Promise<unknown> {
    const { counts } = this.#options;
    this.#found = new Map();
    const plans = await this.#plan(state, subjects);
    const { left, problem } = await this.#deleteGone(plans);
    const isWaiting = new Set(left.map(({ plan }) => plan));
    const complete = plans.filter((plan) => !isWaiting.has(plan));
    // Schemas may refer to what was marked before: it cannot be marked after them.
    const marks = await this.#markDeleted(complete);
    for (const plan of complete)
      for (const { version } of plan.versions) await this.#write(state, plan.subject, version, 0);
    for (const { plan } of [...left, ...marks.left]) this.#again.add(plan.subject);
    counts.subjects += plans.length;
    this.#progress();
    return problem ?? marks.problem;
  }

  #progress(): void {
    const { onProgress, counts } = this.#options;
    onProgress?.({ ...counts });
  }

  async #plan(state: RegistryState, subjects: readonly SubjectToCopy[]): Promise<readonly SubjectPlan[]> {
    const plans: SubjectPlan[] = [];
    const left = subjects.values();
    const work = async () => {
      for (const { subject, isAbsent, changedVersions } of left) {
        this.#options.signal.throwIfAborted();
        const target = this.#options.subjects.targetOf(subject);
        if (this.#options.subjects.hasOwnContexts) await this.#requireImport(target);
        let found = await this.#versionsOf(target, isAbsent);
        // What is there was written by an exporter then, and equal ids mean equal schemas.
        if (found.all.size > 0 && (await this.#requireImport(target))) {
          // The change of the mode removed what was marked as deleted.
          this.#found.delete(target);
          found = await this.#versionsOf(target);
        }
        const versions = [...state.versions(subject)];
        const known = new Map(versions.map((version) => [version.version, version]));
        const newest = versions.at(-1)?.version;
        const compared = changedVersions ?? new Set(newest === undefined ? [] : [newest]);
        const gone: number[] = [];
        for (const version of found.all) {
          const own = known.get(version);
          const isOther =
            own === undefined ||
            // What is marked as deleted cannot be used again.
            (!own.isDeleted && !found.live.has(version)) ||
            (compared.has(version) && (await this.#idOf(target, version)) !== own.id);
          if (isOther) gone.push(version);
        }
        plans.push({ subject, target, versions, found, gone });
      }
    };
    await Promise.all(Array.from({ length: parallelReads }, work));
    return plans;
  }

  async #idOf(target: string, version: number): Promise<number | undefined> {
    const { destination, signal } = this.#options;
    return (await destination.schemaOfVersion(target, version, { deleted: true, stop: signal }))?.id;
  }

  async #versionsOf(target: string, isAbsent = false): Promise<TargetVersions> {
    const known = this.#found.get(target);
    if (known !== undefined) return known;
    const { destination, signal: stop } = this.#options;
    const [all, live] = isAbsent
      ? []
      : await Promise.all([
          destination.versions(target, { deleted: true, stop }),
          destination.versions(target, { stop }),
        ]);
    const found = { all: new Set(all), live: new Set(live) };
    this.#found.set(target, found);
    return found;
  }

  async #deleteGone(plans: readonly SubjectPlan[]) {
    const due = plans.flatMap((plan): Deletion[] => {
      if (plan.gone.length === 0) return [];
      if (plan.gone.length === plan.found.all.size) return [{ plan }];
      return plan.gone.map((version) => ({ plan, version }));
    });
    return await inAnyOrder(due, (deletion) => this.#delete(deletion), isReferenced);
  }

  /** Marks as deleted what is not yet, and then removes it. */
  async #delete({ plan, version }: Deletion): Promise<void> {
    const { target, found, gone } = plan;
    const { destination, signal: stop, counts } = this.#options;
    stop.throwIfAborted();
    const versions = version === undefined ? gone : [version];
    for (const permanent of [false, true]) {
      if (!permanent && !versions.some((one) => found.live.has(one))) continue;
      await unlessMissing(
        version === undefined
          ? destination.deleteSubject(target, { permanent, stop })
          : destination.deleteVersion(target, version, { permanent, stop }),
      );
      for (const one of versions) (permanent ? found.all : found.live).delete(one);
    }
    // The name is free for others.
    if (plan.versions.length === 0 && !this.#options.subjects.hasOwnContexts) {
      this.#importing.delete(target);
      await unlessMissing(destination.deleteMode(target, { stop }));
    }
    counts.deletedVersions += versions.length;
    this.#progress();
  }

  async #markDeleted(plans: readonly SubjectPlan[]) {
    const due = plans.flatMap((plan) =>
      plan.versions
        .filter(({ version, isDeleted }) => isDeleted && plan.found.live.has(version))
        .map(({ version }) => ({ plan, version })),
    );
    return await inAnyOrder(due, ({ plan, version }) => this.#mark(plan, version), isReferenced);
  }

  async #mark({ target, found }: Pick<SubjectPlan, 'target' | 'found'>, version: number): Promise<void> {
    const { destination, signal: stop, counts } = this.#options;
    stop.throwIfAborted();
    await unlessMissing(destination.deleteVersion(target, version, { stop }));
    found.live.delete(version);
    counts.deletedVersions++;
    this.#progress();
  }

  /** Writes a version that the destination does not have, after those that it refers to. */
  async #write(state: RegistryState, subject: string, version: number, depth: number): Promise<void> {
    const { subjects, destination, signal: stop, counts } = this.#options;
    const target = subjects.targetOf(subject);
    const found = await this.#versionsOf(target);
    if (found.all.has(version)) return;
    const { context } = parseSubject(subject);
    const own = state.version(subject, version);
    const row = own && state.row(context, own.id);
    // Removed meanwhile, which the next changes say.
    if (own === undefined || row === undefined) return;
    const { id, isDeleted } = own;
    const { text: schema, type: schemaType, references = [], metadata, ruleSet } = state.schema(row);
    for (const reference of references) {
      const referenced = referencedSubject(context, reference.subject);
      if (depth < registryLimits.referenceDepthMax && subjects.isExported(referenced))
        await this.#write(state, referenced, reference.version, depth + 1);
    }
    stop.throwIfAborted();
    await this.#requireImport(target);
    try {
      await destination.register(
        target,
        {
          schema,
          schemaType,
          references: references.map((reference) => ({
            ...reference,
            subject: subjects.referenceOf(context, reference.subject),
          })),
          ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
          ...(ruleSet === undefined ? {} : { ruleSet: { ...ruleSet } }),
          id,
          version,
        },
        { stop },
      );
    } catch (error) {
      if (!(error instanceof RegistryRefusal) || error.isTemporary) throw error;
      throw new LinkingFailed(`version ${version} of "${subject}" was refused: ${error.message}`);
    }
    found.all.add(version);
    found.live.add(version);
    counts.newVersions++;
    this.#progress();
    if (isDeleted) await this.#mark({ target, found }, version);
  }

  /**
   * Ids can be chosen in mode IMPORT only: of the contexts of exporters, elsewhere of each subject. Returns whether the
   * mode was another one before.
   */
  async #requireImport(target: string): Promise<boolean> {
    const { subjects, destination, signal: stop } = this.#options;
    const scope = subjects.hasOwnContexts ? contextScope(parseSubject(target).context) : target;
    if (this.#importing.has(scope)) return false;
    const mode = await destination.mode(scope, { defaultToGlobal: true, stop });
    if (mode !== 'IMPORT') {
      try {
        await destination.putMode('IMPORT', scope, { stop });
      } catch (error) {
        if (!(error instanceof RegistryRefusal) || error.isTemporary) throw error;
        throw new LinkingFailed(`the mode IMPORT of "${scope}" was refused: ${error.message}`);
      }
    }
    this.#importing.add(scope);
    return mode !== 'IMPORT';
  }
}

function isReferenced(error: unknown): boolean {
  return error instanceof RegistryRefusal && error.errorCode === registryErrors.referenceExists;
}

async function unlessMissing(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!(error instanceof RegistryRefusal) || error.errorCode === undefined) throw error;
    if (!missing.has(error.errorCode)) throw error;
  }
}
