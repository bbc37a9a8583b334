import * as z from 'zod';
import { count, flag, list, pageInput, pageOutput, text } from '../fields.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';
import {
  exampleTarget,
  guid,
  guidGiven,
  level,
  metadata,
  mode,
  openReferences,
  references,
  schemaId,
  schemaText,
  schemaTextOutput,
  schemaType,
  subjectName,
  subjectOutput,
  versionNumber,
} from './schema-fields.ts';

const referenceOutput = z
  .object({
    name: z.string().max(apiLimits.schemaSubjectCharsMax).describe('The name in the schema.'),
    subject: subjectOutput().describe('The subject of the referenced schema.'),
    version: versionNumber().describe('The version of the subject.'),
  })
  .meta({ id: 'SchemaReference', description: 'A schema that another refers to.' });

const subjectVersion = z
  .object({
    subject: subjectOutput().describe('The subject.'),
    version: versionNumber().describe('Its version.'),
  })
  .meta({ id: 'SubjectVersion', description: 'A version of a subject.' });

const subject = z
  .object({
    subject: subjectOutput().describe('The subject; `:.context:` comes before the name in other contexts.'),
    schema_type: schemaType(),
    latest_version: versionNumber().describe('Its last version.'),
    latest_id: schemaId().describe('The id of the schema of this version.'),
    version_count: count().describe('The number of versions.'),
    reference_count: count().describe('The number of references of the last version.'),
    compatibility_level: level().describe('The compatibility level for new versions.'),
    is_deleted: z.boolean().describe('Whether it is soft-deleted.'),
  })
  .meta({ id: 'Subject', description: 'A subject: the versions of a schema under one name.' });

const violation = z
  .object({
    type: z.string().max(128).describe('The kind of incompatibility, as in the registry.'),
    path: z
      .string()
      .max(apiLimits.schemaMessageCharsMax)
      .describe('The path in the schema; empty for the whole schema.'),
    message: z.string().max(apiLimits.schemaMessageCharsMax).describe('What is wrong.'),
  })
  .meta({ id: 'SchemaViolation', description: 'A difference that makes two schemas incompatible.' });

const newSchema = {
  subject: subjectName().describe('The subject.'),
  schema: schemaText().describe('The text of the schema.'),
  schema_type: schemaType().default('AVRO'),
  references: references(),
};

const change = z
  .strictObject({
    subject: subjectName()
      .optional()
      .describe('The subject, or a context such as `:.context:`; without it, the whole registry.'),
    compatibility_level: level().nullish().describe('The level to set; `null` makes it inherited.'),
    mode: mode().nullish().describe('The mode to set; `null` makes it inherited.'),
    normalize: z.boolean().optional().describe('Whether to normalize schemas before they are registered.'),
    schema: schemaText().optional().describe('The text of a schema to register.'),
    schema_type: schemaType().default('AVRO'),
    references: openReferences(),
    metadata: metadata(),
    delete: flag('Whether to delete the subject.'),
  })
  .refine((given) => given.subject !== undefined || (given.schema === undefined && !given.delete), {
    error: 'a schema and a deletion need a subject',
  })
  .refine(
    ({ compatibility_level, mode: newMode, normalize, schema, delete: isDeletion }) =>
      isDeletion || [compatibility_level, newMode, normalize, schema].some((given) => given !== undefined),
    { error: 'changes nothing' },
  );

const changeOutcome = z
  .object({
    is_change: z.boolean().describe('Whether it changes anything.'),
    problem: z
      .string()
      .max(apiLimits.schemaMessageCharsMax)
      .nullable()
      .describe('Why it would be refused, or `null`.'),
    own_compatibility_level: level().nullable().describe('The level that is set now; `null` if inherited.'),
    own_mode: mode().nullable().describe('The mode that is set now; `null` if inherited.'),
    own_normalize: z.boolean().describe('Whether normalizing is set now.'),
    compatibility_level: level().describe('The effective compatibility level.'),
    mode: mode().describe('The effective mode.'),
    version: versionNumber().nullable().describe('The version that has or would have the schema.'),
    compared_version: versionNumber()
      .nullable()
      .describe(
        'The version that the schema is incompatible with, or the last one; `null` for a new subject.',
      ),
    violations: list(violation, apiLimits.schemaViolationsMax).describe(
      'Why the schema is not compatible; the first problems, if there are many.',
    ),
    diff: z
      .string()
      .max(apiLimits.schemaDiffCharsMax)
      .describe('A unified diff of that version and the schema, both indented; empty if they are equal.'),
  })
  .meta({ id: 'RegistryChangeOutcome', description: 'The effect of a change of a registry.' });

const exampleSchema = '{"type":"record","name":"Order","fields":[{"name":"id","type":"long"}]}';
const exampleGuid = '0f1e2d3c-4b5a-4968-8776-000000000012';

export const schemaOperations = [
  defineClusterOperation({
    name: 'list_subjects',
    title: 'List subjects',
    summary: 'List the subjects of the schema registry of a virtual cluster.',
    input: clusterInput({
      subject_prefix: text(apiLimits.schemaSubjectCharsMax)
        .optional()
        .describe('Only subjects with this prefix; `:.context:` selects a context.'),
      include_deleted: flag('Whether to include soft-deleted subjects.'),
      ...pageInput(100),
    }),
    output: z.object({
      subjects: list(subject, apiLimits.apiPageRowsMax).describe('The subjects by name.'),
      ...pageOutput,
    }),
    errors: ['no_schema_registry'],
    example: {
      input: { subject_prefix: 'orders' },
      output: {
        subjects: [
          {
            subject: 'orders-value',
            schema_type: 'AVRO',
            latest_version: 2,
            latest_id: 7,
            version_count: 2,
            reference_count: 0,
            compatibility_level: 'BACKWARD',
            is_deleted: false,
          },
        ],
        next_cursor: null,
      },
    },
  }),
  defineClusterOperation({
    name: 'describe_schema',
    title: 'Describe a schema',
    summary: 'Describe a schema with its references, its versions and the rules for new versions.',
    description:
      'Identify it by subject and version, by id, or by GUID. With an id or a GUID, the answer has a subject that uses the schema; with a subject, the id belongs to its context.',
    input: clusterInput({
      subject: subjectName().optional().describe('The subject.'),
      version: versionNumber().optional().describe('A version; by default, the last one.'),
      schema_id: schemaId().optional().describe('The id, as it is in records.'),
      guid: guidGiven().optional().describe('The GUID.'),
      include_deleted: flag('Whether to include soft-deleted versions.'),
    }).refine(
      ({ subject, schema_id, guid }) =>
        (guid === undefined || (schema_id === undefined && subject === undefined)) &&
        (guid !== undefined || schema_id !== undefined || subject !== undefined),
      { error: 'one of subject, schema_id and guid is required' },
    ),
    output: z.object({
      subject: subjectOutput().nullable().describe('A subject that uses it; `null` if none does.'),
      version: versionNumber().nullable().describe('The version of the subject.'),
      schema_id: schemaId().nullable().describe('Its id in the context of the subject.'),
      guid: guid().describe('The GUID, which is the same in all contexts and registries.'),
      schema_type: schemaType(),
      schema: schemaTextOutput().describe('The text of the schema.'),
      references: list(referenceOutput, apiLimits.schemaReferencesMax).describe('Its references.'),
      referenced_by: list(subjectVersion, apiLimits.schemaUsersMax).describe(
        'Versions that refer to it; the first, if there are many.',
      ),
      used_by: list(subjectVersion, apiLimits.schemaUsersMax).describe(
        'Versions of subjects that use this schema; the first, if there are many.',
      ),
      versions: list(versionNumber(), apiLimits.schemaUsersMax).describe(
        'The versions of the subject; the last, if there are many.',
      ),
      compatibility_level: level()
        .nullable()
        .describe('The compatibility level for new versions of the subject.'),
      mode: mode().nullable().describe('The mode of the subject.'),
      is_deleted: z.boolean().describe('Whether the version is soft-deleted.'),
    }),
    errors: ['no_schema_registry'],
    example: {
      input: exampleTarget,
      output: {
        subject: 'orders-value',
        version: 2,
        schema_id: 7,
        guid: exampleGuid,
        schema_type: 'AVRO',
        schema: exampleSchema,
        references: [],
        referenced_by: [],
        used_by: [{ subject: 'orders-value', version: 2 }],
        versions: [1, 2],
        compatibility_level: 'BACKWARD',
        mode: 'READWRITE',
        is_deleted: false,
      },
    },
  }),
  defineClusterOperation({
    name: 'check_schema_compatibility',
    title: 'Check the compatibility of a schema',
    summary: 'Check whether a schema could be registered under a subject, and if not, why.',
    description:
      'Without a version, it is compared with the versions that the compatibility level of the subject requires. Nothing is registered.',
    input: clusterInput({
      ...newSchema,
      version: versionNumber().optional().describe('Compare it with this version only.'),
      normalize: flag('Whether to normalize the schema first.'),
    }),
    output: z.object({
      is_compatible: z.boolean().describe('Whether it is compatible.'),
      compatibility_level: level().describe('The level that was checked.'),
      is_registered: z.boolean().describe('Whether the subject already has this schema.'),
      compared_version: versionNumber()
        .nullable()
        .describe('The version that it is incompatible with, or the last one; `null` for a new subject.'),
      violations: list(violation, apiLimits.schemaViolationsMax).describe(
        'Why it is not compatible; the first problems, if there are many.',
      ),
      diff: z
        .string()
        .max(apiLimits.schemaDiffCharsMax)
        .describe('A unified diff of that version and the schema, both indented; empty if they are equal.'),
    }),
    errors: ['invalid_schema', 'no_schema_registry'],
    example: {
      input: { ...exampleTarget, schema: '{"type":"record","name":"Order","fields":[]}' },
      output: {
        is_compatible: true,
        compatibility_level: 'BACKWARD',
        is_registered: false,
        compared_version: 2,
        violations: [],
        diff: '--- orders-value version 2\n+++ new schema\n@@ -1,5 +1,5 @@\n…',
      },
    },
  }),
  defineClusterOperation({
    name: 'check_registry_changes',
    title: 'Check changes of a registry',
    summary: 'Preview a sequence of changes of a schema registry.',
    description:
      'Each change is checked as if those before it were made, so that a schema may refer to an earlier one in the list. Nothing is changed.',
    input: clusterInput({
      changes: list(change, apiLimits.checkedRegistryChangesMax, 1).describe(
        'The changes. Within one, settings are checked first, then the schema, then the deletion.',
      ),
    }),
    output: z.object({
      outcomes: list(changeOutcome, apiLimits.checkedRegistryChangesMax).describe(
        'One for each change, in order.',
      ),
    }),
    errors: ['no_schema_registry'],
    example: {
      input: {
        changes: [{ subject: 'orders-value', compatibility_level: 'FULL', schema: exampleSchema }],
      },
      output: {
        outcomes: [
          {
            is_change: true,
            problem: null,
            own_compatibility_level: null,
            own_mode: null,
            own_normalize: false,
            compatibility_level: 'FULL',
            mode: 'READWRITE',
            version: 1,
            compared_version: null,
            violations: [],
            diff: '',
          },
        ],
      },
    },
  }),
  defineClusterOperation({
    name: 'register_schema',
    title: 'Register a schema',
    summary: 'Register a schema as the next version of a subject.',
    description: 'A schema that the subject has already keeps its id and version.',
    input: clusterInput({
      ...newSchema,
      references: openReferences(),
      metadata: metadata(),
      normalize: flag('Whether to normalize the schema first.'),
    }),
    output: z.object({
      schema_id: schemaId().describe('Its id, as it is in records.'),
      version: versionNumber().describe('Its version in the subject.'),
      guid: guid().describe('The GUID, which is the same in all contexts and registries.'),
    }),
    errors: ['conflict', 'incompatible_schema', 'invalid_schema', 'limit_exceeded', 'no_schema_registry'],
    example: {
      input: { ...exampleTarget, schema: exampleSchema },
      output: { schema_id: 7, version: 2, guid: exampleGuid },
    },
  }),
  defineClusterOperation({
    name: 'delete_subject',
    title: 'Delete a subject',
    summary: 'Delete all versions of a subject.',
    description:
      'The versions can still be read by id, and return if the schema is registered again. Delete it once more with `permanent` to remove them for good.',
    input: clusterInput({
      subject: subjectName().describe('The subject.'),
      permanent: flag('Whether to remove what was deleted before for good.'),
    }),
    output: z.object({
      versions: list(versionNumber(), apiLimits.schemaUsersMax).describe(
        'The versions that were deleted; the last ones, if there are many.',
      ),
    }),
    errors: ['conflict', 'no_schema_registry'],
    example: { input: exampleTarget, output: { versions: [1, 2] } },
  }),
  defineClusterOperation({
    name: 'delete_schema_version',
    title: 'Delete a version of a subject',
    summary: 'Delete a version of a subject.',
    description: 'Delete it once more with `permanent` to remove it for good.',
    input: clusterInput({
      subject: subjectName().describe('The subject.'),
      version: versionNumber().describe('The version.'),
      permanent: flag('Whether to remove what was deleted before for good.'),
    }),
    output: z.object({ version: versionNumber().describe('The version that was deleted.') }),
    errors: ['conflict', 'no_schema_registry'],
    example: { input: { ...exampleTarget, version: 1 }, output: { version: 1 } },
  }),
] as const;
