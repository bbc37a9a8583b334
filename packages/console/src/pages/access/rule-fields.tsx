import { aclOperations, aclPermissions, aclResourceTypes } from '@weir/core';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { textOf } from '../../ui/form.tsx';
import { principalOf, type Rule, resourceWord } from './acl-rule.ts';

const named = (table: object) => Object.keys(table).map((name) => [name, name] as const);

/** The fields of one rule. */
export function RuleFields({ given = {} }: { readonly given?: Partial<Rule> }) {
  return (
    <>
      <TextField
        label="Principal"
        name="principal"
        required
        autoFocus
        placeholder="User:alice"
        defaultValue={given.principal}
      >
        User:NAME of a credential, or User:* for all.
      </TextField>
      <div className="grid grid-cols-2 gap-3">
        <SelectField
          label="Permission"
          name="permission_type"
          defaultValue={given.permission_type ?? 'ALLOW'}
          options={named(aclPermissions)}
        />
        <SelectField
          label="Operation"
          name="operation"
          defaultValue={given.operation ?? 'READ'}
          options={named(aclOperations)}
        />
        <SelectField
          label="Resource type"
          name="resource_type"
          defaultValue={given.resource_type ?? 'TOPIC'}
          options={aclResourceTypes.map((type) => [type, resourceWord(type)])}
        />
        <SelectField
          label="Pattern type"
          name="pattern_type"
          defaultValue={given.pattern_type ?? 'LITERAL'}
          options={[
            ['LITERAL', 'literal'],
            ['PREFIXED', 'prefixed'],
          ]}
        />
      </div>
      <TextField
        label="Resource name"
        name="resource_name"
        required
        placeholder="orders"
        defaultValue={given.resource_name}
      >
        * for all. The name of the cluster is kafka-cluster, of the schema registry schema-registry.
      </TextField>
      <TextField label="Host" name="host" placeholder="*" defaultValue={given.host === '*' ? '' : given.host}>
        IP address of the client. Empty for all hosts.
      </TextField>
    </>
  );
}

/** The rule that the fields say. */
export function ruleOfFields(fields: FormData): Rule {
  const host = textOf(fields, 'host');
  return {
    permission_type: textOf(fields, 'permission_type'),
    principal: principalOf(textOf(fields, 'principal')),
    operation: textOf(fields, 'operation'),
    resource_type: textOf(fields, 'resource_type'),
    pattern_type: textOf(fields, 'pattern_type'),
    resource_name: textOf(fields, 'resource_name'),
    host: host === '' ? '*' : host,
  } as Rule;
}
