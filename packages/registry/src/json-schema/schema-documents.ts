import { isArray, isObject, type JsonNode, type JsonObject } from '../exact-json.ts';
import { registryLimits } from '../limits.ts';
import { InvalidSchema, type SchemaSource } from '../schema-format.ts';
import { type Draft, draftOf, isSince, usualDraft } from './drafts.ts';
import { keywordIn, shapeProblem } from './keyword-rules.ts';
import { parseSchemaJson } from './parse-json.ts';

/** A schema: a boolean, or an object with keywords. */
export type SchemaTree = boolean | JsonObject;

/** The draft that an object is read in, and the schema that its `$ref` stands for. */
interface SchemaContext {
  readonly draft: Draft;
  readonly target: SchemaTree | undefined;
}

/** A schema with all schemas that it refers to, all references resolved. */
export interface SchemaDocuments {
  readonly root: SchemaTree;
  readonly draft: Draft;
  /** Whether a schema among them has `unevaluatedProperties` or `unevaluatedItems`. */
  readonly hasUnevaluated: boolean;
  contextOf(schema: JsonObject): SchemaContext;
}

/** Parses a schema and what it refers to, checks every keyword, and resolves every reference. */
export function readDocuments(source: SchemaSource): SchemaDocuments {
  const reader = new DocumentsReader(source);
  return reader.read();
}

/** The base of a schema without an id; relative names resolve against it. */
const unnamedBase = 'schema://registry/';

interface Document {
  readonly root: SchemaTree;
  readonly base: string;
}

interface OpenReference {
  readonly schema: JsonObject;
  readonly text: string;
  readonly base: string;
  readonly document: Document;
  readonly path: string;
}

class DocumentsReader {
  readonly #source: SchemaSource;
  /** Schemas that the text or what it refers to may name. A name that is given twice means the nearest. */
  readonly #named = new Map<string, SchemaSource>();
  readonly #documents = new Map<SchemaSource, Document>();
  readonly #drafts = new Map<JsonObject, Draft>();
  readonly #bases = new Map<JsonObject, string>();
  readonly #targets = new Map<JsonObject, SchemaTree>();
  /** Schemas by URI: those with an id, and with an anchor as `uri#anchor`. */
  readonly #byUri = new Map<string, { readonly schema: SchemaTree; readonly document: Document }>();
  readonly #open: OpenReference[] = [];
  #hasUnevaluated = false;

  constructor(source: SchemaSource) {
    this.#source = source;
    this.#collectNames(source);
  }

  read(): SchemaDocuments {
    const { root } = this.#documentOf(this.#source, usualDraft, '');
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) {
      const target = this.#resolve(next);
      this.#targets.set(next.schema, target);
    }
    this.#refuseCircles();
    return {
      root,
      hasUnevaluated: this.#hasUnevaluated,
      draft: isObject(root) ? this.#drafts.get(root)! : usualDraft,
      contextOf: (schema) => ({ draft: this.#drafts.get(schema)!, target: this.#targets.get(schema) }),
    };
  }

  #collectNames(source: SchemaSource): void {
    const seen = new Set([source]);
    let chars = 0;
    for (const { references } of seen) {
      for (const { name, source: referred } of references) {
        if (!this.#named.has(name)) this.#named.set(name, referred);
        if (seen.has(referred)) continue;
        seen.add(referred);
        chars += referred.text.length;
      }
      if (seen.size > registryLimits.referencedSchemasMax || chars > registryLimits.referencedBytesMax) {
        throw new InvalidSchema('the schema refers to too many other schemas, or to too large ones');
      }
    }
  }

  #documentOf(source: SchemaSource, draftOfReferrer: Draft, name: string): Document {
    const known = this.#documents.get(source);
    if (known !== undefined) return known;
    const tree = parseSchemaJson(source.text);
    if (!isObject(tree) && typeof tree !== 'boolean')
      throw new InvalidSchema('a schema is an object or a boolean');
    const draft = draftOf(tree, draftOfReferrer);
    if (typeof tree === 'boolean' && !isSince(draft, 'draft-06'))
      throw new InvalidSchema(`a schema of ${draft} is an object`);
    const document = { root: tree, base: uriOf(name, unnamedBase) ?? unnamedBase };
    this.#documents.set(source, document);
    this.#byUri.set(document.base, { schema: tree, document });
    if (isObject(tree)) this.#visit(tree, draft, document.base, document, '#');
    return document;
  }

  /** Checks the keywords of a schema and of those in it, and remembers what references need. */
  #visit(schema: JsonObject, draft: Draft, outerBase: string, document: Document, path: string): void {
    if (this.#drafts.has(schema)) return;
    this.#drafts.set(schema, draft);
    if (this.#drafts.size > registryLimits.jsonSubschemasMax) {
      throw new InvalidSchema(
        `the schema and its references have more than ${registryLimits.jsonSubschemasMax} subschemas`,
      );
    }
    const base = this.#register(schema, draft, outerBase, document);
    this.#bases.set(schema, base);
    for (const [name, value] of schema) {
      const keyword = keywordIn(draft, name);
      if (keyword === undefined) continue;
      if (name === 'unevaluatedProperties' || name === 'unevaluatedItems') this.#hasUnevaluated = true;
      const problem = shapeProblem(draft, keyword, value);
      if (problem !== undefined) throw new InvalidSchema(`${path}: ${name} must be ${problem}`);
      const visitAt = (child: JsonNode, key: string) => {
        const childPath = `${path}/${key}`;
        if (isObject(child)) this.#visit(child, draft, base, document, childPath);
        else if (typeof child !== 'boolean' || !isSince(draft, 'draft-06'))
          throw new InvalidSchema(
            `${childPath}: a schema of ${draft} is an object${isSince(draft, 'draft-06') ? ' or a boolean' : ''}`,
          );
      };
      switch (keyword.shape) {
        case 'schema':
          visitAt(value, name);
          break;
        case 'schemaOrBoolean':
          if (isObject(value)) visitAt(value, name);
          break;
        case 'schemas':
        case 'schemaOrSchemas':
          if (isArray(value)) {
            for (const [index, child] of value.entries()) visitAt(child, `${name}/${index}`);
          } else visitAt(value, name);
          break;
        case 'schemaMap':
          for (const [key, child] of value as JsonObject) visitAt(child, `${name}/${key}`);
          break;
        case 'dependencies':
          for (const [key, child] of value as JsonObject) {
            if (!isArray(child)) visitAt(child, `${name}/${key}`);
          }
          break;
        default:
      }
    }
    this.#checkExclusive(schema, draft, path);
    const text = schema.get('$ref') ?? this.#dynamicReference(schema, draft);
    if (typeof text === 'string') this.#open.push({ schema, text, base, document, path });
  }

  /** Registers the ids of a schema. Returns the base of the references in it. */
  #register(schema: JsonObject, draft: Draft, outerBase: string, document: Document): string {
    const id = schema.get(draft === 'draft-04' ? 'id' : '$id');
    // Up to draft 7, other keywords next to a reference mean nothing.
    const hasOnlyReference = schema.has('$ref') && !isSince(draft, '2019-09');
    let base = outerBase;
    if (typeof id === 'string' && !hasOnlyReference) {
      const uri = uriOf(id, outerBase);
      if (uri !== undefined) {
        const fragment = id.indexOf('#');
        if (fragment > 0 || fragment === -1) base = withoutFragment(uri);
        const key = uri.endsWith('#') ? uri.slice(0, -1) : uri;
        if (!this.#byUri.has(key)) this.#byUri.set(key, { schema, document });
      }
    }
    for (const name of ['$anchor', '$dynamicAnchor']) {
      const anchor = keywordIn(draft, name) === undefined ? undefined : schema.get(name);
      if (typeof anchor === 'string' && !this.#byUri.has(`${base}#${anchor}`))
        this.#byUri.set(`${base}#${anchor}`, { schema, document });
    }
    return base;
  }

  #dynamicReference(schema: JsonObject, draft: Draft): JsonNode | undefined {
    if (draft === '2019-09') return schema.get('$recursiveRef');
    return draft === '2020-12' ? schema.get('$dynamicRef') : undefined;
  }

  /** In draft 4, a bound is exclusive only if there is a bound. */
  #checkExclusive(schema: JsonObject, draft: Draft, path: string): void {
    if (draft !== 'draft-04') return;
    for (const [exclusive, bound] of [
      ['exclusiveMaximum', 'maximum'],
      ['exclusiveMinimum', 'minimum'],
    ] as const) {
      if (schema.has(exclusive) && !schema.has(bound))
        throw new InvalidSchema(`${path}: ${exclusive} needs ${bound} in draft-04`);
    }
  }

  #resolve({ schema, text, base, document, path }: OpenReference): SchemaTree {
    const hash = text.indexOf('#');
    const name = hash === -1 ? text : text.slice(0, hash);
    const fragment = hash === -1 ? '' : text.slice(hash + 1);
    const draft = this.#drafts.get(schema)!;
    const resource = this.#resourceOf(name, base, document, draft);
    if (resource !== undefined) {
      const target = this.#fragmentOf(fragment, resource, draft, path);
      if (target !== undefined) return target;
    }
    const advice = name === '' ? '' : '; add it to the references of the schema';
    throw new InvalidSchema(
      `${path}: the reference ${JSON.stringify(text.slice(0, 200))} cannot be resolved${advice}`,
    );
  }

  #resourceOf(
    name: string,
    base: string,
    document: Document,
    draft: Draft,
  ): { readonly schema: SchemaTree; readonly document: Document; readonly base: string } | undefined {
    if (name === '') {
      const own = this.#byUri.get(base);
      return { schema: own?.schema ?? document.root, document: own?.document ?? document, base };
    }
    const uri = uriOf(name, base);
    const inner = uri === undefined ? undefined : this.#byUri.get(uri);
    const key = this.#named.has(name) ? name : uri;
    const source = key === undefined ? undefined : this.#named.get(key);
    if (inner !== undefined && (source === undefined || inner.document === document))
      return { ...inner, base: uri! };
    if (source !== undefined) {
      const referred = this.#documentOf(source, draft, key!);
      const referredBase = isObject(referred.root) ? this.#bases.get(referred.root)! : referred.base;
      return { schema: referred.root, document: referred, base: referredBase };
    }
    return this.#referredById(uri, draft);
  }

  /** A reference may also be meant by the id in its text. */
  #referredById(uri: string | undefined, draft: Draft) {
    if (uri === undefined) return undefined;
    for (const [name, source] of this.#named) this.#documentOf(source, draft, name);
    const found = this.#byUri.get(uri);
    return found === undefined ? undefined : { ...found, base: uri };
  }

  #fragmentOf(
    fragment: string,
    { schema, document, base }: { schema: SchemaTree; document: Document; base: string },
    draft: Draft,
    path: string,
  ): SchemaTree | undefined {
    if (fragment === '') return schema;
    const text = decoded(fragment);
    if (text === undefined) return undefined;
    if (!text.startsWith('/')) {
      return (
        this.#byUri.get(`${base}#${text}`)?.schema ?? this.#byUri.get(`${document.base}#${text}`)?.schema
      );
    }
    return (
      this.#pointed(text, schema, draft, base, document, path) ??
      // Confluent's registry follows pointers from the root of the text too.
      this.#pointed(text, document.root, draft, document.base, document, path)
    );
  }

  #pointed(
    pointer: string,
    from: SchemaTree,
    draft: Draft,
    base: string,
    document: Document,
    path: string,
  ): SchemaTree | undefined {
    let at: JsonNode | undefined = from;
    let nearestBase = base;
    for (const part of pointer.slice(1).split('/')) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (isObject(at)) {
        nearestBase = this.#bases.get(at) ?? nearestBase;
        at = at.get(key);
      } else if (isArray(at)) at = /^(?:0|[1-9]\d*)$/.test(key) ? at[Number(key)] : undefined;
      else return undefined;
    }
    if (typeof at === 'boolean') return at;
    if (!isObject(at)) return undefined;
    // A place where no keyword expects a schema, such as `#/components/schemas/Address`.
    if (!this.#drafts.has(at)) this.#visit(at, draft, nearestBase, document, `${path}: ${pointer}`);
    return at;
  }

  /** A reference that leads back to itself through references alone means nothing. */
  #refuseCircles(): void {
    const finished = new Set<JsonObject>();
    for (const first of this.#targets.keys()) {
      const chain = new Set<JsonObject>();
      let at: SchemaTree | undefined = first;
      while (isObject(at) && !finished.has(at)) {
        if (chain.has(at)) throw new InvalidSchema('a reference refers only to itself');
        chain.add(at);
        // Next to other keywords, a reference of the newer drafts is one condition of several.
        at = this.#targets.get(at);
      }
      for (const schema of chain) finished.add(schema);
    }
  }
}

function uriOf(text: string, base: string): string | undefined {
  return URL.canParse(text, base) ? new URL(text, base).href : undefined;
}

function withoutFragment(uri: string): string {
  const hash = uri.indexOf('#');
  return hash === -1 ? uri : uri.slice(0, hash);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
