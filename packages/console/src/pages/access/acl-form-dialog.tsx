import { useClusterFormAction } from '../../ui/actions.ts';
import { FormDialog } from '../../ui/form.tsx';
import { type Rule, ruleInWords } from './acl-rule.ts';
import { RuleFields, ruleOfFields } from './rule-fields.tsx';

interface AclFormProps {
  /** What the form starts with. */
  readonly given?: Partial<Rule>;
  readonly onClose: () => void;
}

export function AclFormDialog({ given = {}, onClose }: AclFormProps) {
  const create = useClusterFormAction('virtual_clusters/acls/create', onClose);
  return (
    <FormDialog
      title="Create ACL"
      description="DENY overrides ALLOW. What no rule allows is denied."
      action={create}
      onClose={onClose}
      onSubmit={(fields) => {
        const acl = ruleOfFields(fields);
        create.run({ acl }, `Created: ${ruleInWords(acl)}`);
      }}
    >
      <RuleFields given={given} />
    </FormDialog>
  );
}
