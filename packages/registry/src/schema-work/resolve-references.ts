import { registryLimits } from '../limits.ts';
import {
  InvalidSchema,
  type ResolvedReference,
  type SchemaReference,
  type SchemaSource,
} from '../schema-format.ts';
import { parseSubject, referencedSubject } from '../state/qualified-subject.ts';
import type { RegistryState } from '../state/registry-state.ts';

/** Builds the sources of schemas of a state. One object is used for a schema however often it is referred to. */
export class ReferenceResolver {
  readonly #state: RegistryState;
  readonly #sources = new Map<string, SchemaSource>();
  /** Versions that are being resolved, in which a schema would refer to itself. */
  readonly #open = new Set<string>();
  #chars = 0;

  constructor(state: RegistryState) {
    this.#state = state;
  }

  /** The source of a text in a context, and its references with their versions. Throws `InvalidSchema`. */
  resolve(
    context: string,
    text: string,
    references: readonly SchemaReference[],
  ): { readonly source: SchemaSource; readonly references: readonly SchemaReference[] } {
    const resolved = references.map((reference) => this.#reference(context, reference));
    return {
      source: { text, references: resolved },
      references: resolved.map(({ name, subject, version }) => ({ name, subject, version })),
    };
  }

  /** Refuses references to versions that are marked as deleted, also those of others. Throws `InvalidSchema`. */
  requireLive(context: string, references: readonly SchemaReference[], seen: Set<string> = new Set()): void {
    for (const { subject, version } of references) {
      const qualified = referencedSubject(context, subject);
      const key = `${version}/${qualified}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const found = this.#state.version(qualified, version);
      if (found === undefined || found.isDeleted) throw noReference(qualified, version);
      const further = this.#state.schema(this.#state.rowOfVersion(found)).references ?? [];
      this.requireLive(parseSubject(qualified).context, further, seen);
    }
  }

  #reference(context: string, { name, subject, version }: SchemaReference): ResolvedReference {
    const qualified = referencedSubject(context, subject);
    const found = version === -1 ? this.#state.latest(qualified) : this.#state.version(qualified, version);
    if (found === undefined) throw noReference(qualified, version);
    return { name, subject, version: found.version, source: this.#source(qualified, found.version) };
  }

  #source(subject: string, version: number): SchemaSource {
    const key = `${version}/${subject}`;
    const known = this.#sources.get(key);
    if (known !== undefined) return known;
    if (this.#open.has(key)) throw new InvalidSchema(`Version ${version} of "${subject}" refers to itself`);
    if (this.#open.size >= registryLimits.referenceDepthMax)
      throw new InvalidSchema(`References nest deeper than ${registryLimits.referenceDepthMax}`);
    if (this.#sources.size >= registryLimits.referencedSchemasMax)
      throw new InvalidSchema(`The schema refers to more than ${registryLimits.referencedSchemasMax} others`);
    this.#open.add(key);
    const state = this.#state;
    const { text, references } = state.schema(state.rowOfVersion(state.version(subject, version)!));
    this.#chars += text.length;
    if (this.#chars > registryLimits.referencedBytesMax)
      throw new InvalidSchema(
        `The schemas that it refers to are larger than ${registryLimits.referencedBytesMax} bytes`,
      );
    const { source } = this.resolve(parseSubject(subject).context, text, references ?? []);
    this.#open.delete(key);
    this.#sources.set(key, source);
    return source;
  }
}

function noReference(subject: string, version: number): InvalidSchema {
  return new InvalidSchema(`No schema reference found for subject "${subject}" and version ${version}`);
}
