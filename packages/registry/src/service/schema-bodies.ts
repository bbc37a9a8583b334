import { registryLimits } from '../limits.ts';
import type { Metadata, RuleSet } from '../registry-answers.ts';
import { type SchemaReference, type SchemaTags, type SchemaType, schemaTypes } from '../schema-format.ts';
import { BodyReader, type JsonObject } from './body-reader.ts';
import { readMetadata, readRuleSet } from './rule-bodies.ts';

/** The body of a registration, a lookup or a check. */
export interface SchemaBody {
  /** Absent or blank: that of the latest version. */
  readonly text: string | undefined;
  readonly type: SchemaType;
  /** A version of -1 is the latest one. */
  readonly references: readonly SchemaReference[];
  readonly metadata: Metadata | undefined;
  readonly ruleSet: RuleSet | undefined;
  readonly id: number | undefined;
  /** 0 if the body names none; -1 asks for the next one. */
  readonly version: number;
  readonly tagsToAdd: readonly SchemaTags[];
  readonly tagsToRemove: readonly SchemaTags[];
  readonly propagateTags: boolean;
}

/** The body of `POST /subjects/{subject}/versions/{version}/tags`. */
export interface TagsBody {
  readonly tagsToAdd: readonly SchemaTags[];
  readonly tagsToRemove: readonly SchemaTags[];
  readonly metadata: Metadata | undefined;
  readonly ruleSet: RuleSet | undefined;
  readonly rulesToMerge: RuleSet | undefined;
  readonly rulesToRemove: readonly string[] | undefined;
  readonly newVersion: number | undefined;
}

const reader: BodyReader = new BodyReader('invalidSchema');
const tagsMax = 10_000;

export function readSchemaBody(body: unknown): SchemaBody {
  const object = reader.object(body);
  const text = reader.text(object, 'schema');
  const id = reader.integer(object, 'id');
  const tagsToAdd = readTags(object, 'schemaTagsToAdd');
  const tagsToRemove = readTags(object, 'schemaTagsToRemove');
  const isRetagged = tagsToAdd.length > 0 || tagsToRemove.length > 0;
  return {
    text: text === undefined || text.trim() === '' ? undefined : text,
    type: readType(reader.text(object, 'schemaType')),
    references: (reader.list(object, 'references', registryLimits.referencesPerSchemaMax) ?? []).map(
      readReference,
    ),
    metadata: readMetadata(reader.field(object, 'metadata')),
    ruleSet: readRuleSet(reader.field(object, 'ruleSet')),
    id: id === undefined || id < 0 ? undefined : id,
    // Other tags are a new version, which has its number in its metadata.
    version: readVersion(reader.integer(object, 'version') ?? (isRetagged ? -1 : undefined)),
    tagsToAdd,
    tagsToRemove,
    propagateTags: reader.boolean(object, 'propagateSchemaTags') ?? false,
  };
}

export function readTagsBody(body: unknown): TagsBody {
  const object = reader.object(body);
  const rules: BodyReader = new BodyReader('invalidRuleSet');
  const tags: TagsBody = {
    tagsToAdd: readTags(object, 'tagsToAdd'),
    tagsToRemove: readTags(object, 'tagsToRemove'),
    metadata: readMetadata(reader.field(object, 'metadata')),
    ruleSet: readRuleSet(reader.field(object, 'ruleSet')),
    rulesToMerge: readRuleSet(reader.field(object, 'rulesToMerge')),
    rulesToRemove: reader.texts(object, 'rulesToRemove', tagsMax),
    newVersion: reader.integer(object, 'newVersion'),
  };
  if (tags.ruleSet !== undefined && (tags.rulesToMerge !== undefined || tags.rulesToRemove !== undefined))
    rules.refuse('ruleSet should be omitted if specifying rulesToMerge or rulesToRemove');
  return tags;
}

function readType(name: string | undefined): SchemaType {
  if (name === undefined) return 'AVRO';
  const type = schemaTypes.find((known) => known === name);
  return type ?? reader.refuse(`Invalid schema type ${name}`);
}

function readVersion(version: number | undefined): number {
  if (version === undefined) return 0;
  return version < -1 ? reader.refuse(`The version ${version} is not valid.`) : version;
}

function readReference(value: unknown): SchemaReference {
  const object = reader.object(value, 'A reference');
  const name = reader.text(object, 'name', registryLimits.subjectCharsMax);
  const subject = reader.text(object, 'subject', registryLimits.subjectCharsMax);
  const version = reader.integer(object, 'version');
  if (name === undefined || subject === undefined || version === undefined)
    reader.refuse('A reference needs the fields name, subject and version.');
  if (version < 1 && version !== -1)
    reader.refuse(`The reference ${name} has the invalid version ${version}.`);
  return { name, subject, version };
}

function readTags(object: JsonObject, field: string): readonly SchemaTags[] {
  return (reader.list(object, field, tagsMax) ?? []).map((value) => {
    const tags = reader.object(value, `An element of ${field}`);
    const entity = reader.object(reader.field(tags, 'schemaEntity'), `The schemaEntity of ${field}`);
    const entityPath = reader.text(entity, 'entityPath', registryLimits.subjectCharsMax);
    const entityType = reader.text(entity, 'entityType');
    if (entityPath === undefined || entityPath === '__proto__')
      reader.refuse(`An element of ${field} has no entityPath.`);
    if (entityType !== 'sr_record' && entityType !== 'sr_field')
      reader.refuse(`The entityType of ${entityPath} is neither sr_record nor sr_field.`);
    return { schemaEntity: { entityPath, entityType }, tags: reader.texts(tags, 'tags', tagsMax) ?? [] };
  });
}
