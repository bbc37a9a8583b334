import { aclOperations, aclPermissions, aclResourceTypes } from '@weir/core';
import { useClusterFormAction } from '../../ui/actions.ts';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { FormDialog, textOf } from '../../ui/form.tsx';
import { principalOf, type Rule, resourceWord, ruleInWords } from './acl-rule.ts';

interface AclFormProps {
  /** What the form starts with. */
  readonly given?: Partial<Rule>;
  readonly onClose: () => void;
}

const named = (table: object) => Object.keys(table).map((name) => [name, name] as const);

export function AclFormDialog({ given = {}, onClose }: AclFormProps) {
  const create = useClusterFormAction('virtual_clusters/acls/create', onClose);
  return (
    <FormDialog
      title="Create ACL"
      description="DENY overrides ALLOW. What no rule allows is denied."
      action={create}
      onClose={onClose}
      onSubmit={(fields) => {
        const host = textOf(fields, 'host');
        const acl = {
          permission_type: textOf(fields, 'permission_type'),
          principal: principalOf(textOf(fields, 'principal')),
          operation: textOf(fields, 'operation'),
          resource_type: textOf(fields, 'resource_type'),
          pattern_type: textOf(fields, 'pattern_type'),
          resource_name: textOf(fields, 'resource_name'),
          host: host === '' ? '*' : host,
        } as Rule;
        create.run({ acl }, `Created: ${ruleInWords(acl)}`);
      }}
    >
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
    </FormDialog>
  );
}
