import { aclOperations, aclPermissions, aclResourceTypes } from '@weir/core';
import { useAction } from '../../api/use-operation.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextControl } from '../../ui/field.tsx';
import { Form, textOf } from '../../ui/form.tsx';
import { Select } from '../../ui/select.tsx';
import { say } from '../../ui/toasts.tsx';
import { principalOf, type Rule, resourceWord, ruleInWords } from './acl-rule.ts';

interface AclFormProps {
  readonly clusterId: string;
  /** The topic that a rule is most likely about. */
  readonly topic?: string;
  readonly onClose: () => void;
}

const named = (table: object) => Object.keys(table).map((name) => [name, name] as const);

export function AclFormDialog({ clusterId, topic, onClose }: AclFormProps) {
  const create = useAction('virtual_clusters/acls/create');
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Create ACL"
      description="DENY overrides ALLOW. What no rule allows is denied."
    >
      <Form
        what="create the ACL"
        button="Create ACL"
        action={create}
        onCancel={onClose}
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
          create.mutate(
            { virtual_cluster_id: clusterId, acl },
            {
              onSuccess: () => {
                say(`Created: ${ruleInWords(acl)}`);
                onClose();
              },
            },
          );
        }}
      >
        <Field label="Principal" name="principal" help="User:NAME of a credential, or User:* for all.">
          <TextControl required autoFocus autoComplete="off" placeholder="User:alice" />
        </Field>
        <div className="grid grid-cols-2 gap-3">
          <Field label="Permission" name="permission_type">
            <Select
              name="permission_type"
              aria-label="Permission"
              defaultValue="ALLOW"
              options={named(aclPermissions)}
            />
          </Field>
          <Field label="Operation" name="operation">
            <Select
              name="operation"
              aria-label="Operation"
              defaultValue="READ"
              options={named(aclOperations)}
            />
          </Field>
          <Field label="Resource type" name="resource_type">
            <Select
              name="resource_type"
              aria-label="Resource type"
              options={aclResourceTypes.map((type) => [type, resourceWord(type)])}
            />
          </Field>
          <Field label="Pattern type" name="pattern_type">
            <Select
              name="pattern_type"
              aria-label="Pattern type"
              options={[
                ['LITERAL', 'literal'],
                ['PREFIXED', 'prefixed'],
              ]}
            />
          </Field>
        </div>
        <Field
          label="Resource name"
          name="resource_name"
          help="* for all. The name of the cluster is kafka-cluster, of the schema registry schema-registry."
        >
          <TextControl required autoComplete="off" placeholder="orders" defaultValue={topic} />
        </Field>
        <Field label="Host" name="host" help="IP address of the client. Empty for all hosts.">
          <TextControl autoComplete="off" placeholder="*" />
        </Field>
      </Form>
    </Dialog>
  );
}
