import { PencilIcon, XIcon } from '@primer/octicons-react';
import { type AclRoleInput, type AclRoleName, aclRole, aclRoleInputs, aclRoleNames } from '@weir/core';
import { useId, useState } from 'react';
import { useClusterId, useClusterOperation } from '../../../api/use-cluster.ts';
import { counted } from '../../../format/format.ts';
import { ChangeButton } from '../../../session/change-button.tsx';
import { startTask } from '../../../tasks/tasks.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { SelectField, TextField } from '../../../ui/fields.tsx';
import { Form } from '../../../ui/form.tsx';
import { Status } from '../../../ui/status.tsx';
import { keyOfRule, type Rule, ruleInWords } from '../acl-rule.ts';
import { RuleFields, ruleOfFields } from '../rule-fields.tsx';
import { draftRulesMax, type RoleDraft, rulesOfDraft, withRuleReplaced, withRules } from './role-draft.ts';
import { creationOf } from './rule-tasks.ts';

interface AclBuilderProps {
  /** The rules that the cluster has. */
  readonly existing: readonly Rule[];
  /** What the form starts with. */
  readonly given?: Partial<RoleDraft>;
  readonly onClose: () => void;
}

const emptyDraft: RoleDraft = { role: 'consumer', principals: '', host: '', inputs: {} };

/** Builds the rules of roles, shows them to review, and creates all of them as one task. */
export function AclBuilder({ existing, given, onClose }: AclBuilderProps) {
  const clusterId = useClusterId();
  const [draft, setDraft] = useState<RoleDraft>({ ...emptyDraft, ...given });
  const [rules, setRules] = useState<readonly Rule[]>([]);
  const [problem, setProblem] = useState<string>();
  const known = new Set(existing.map(keyOfRule));
  const added = rules.filter((rule) => !known.has(keyOfRule(rule)));
  const add = () => {
    const read = rulesOfDraft(draft);
    if ('problem' in read) return setProblem(read.problem);
    const next = withRules(rules, read.rules);
    if (next.length > draftRulesMax) return setProblem(`Create at most ${draftRulesMax} rules at once.`);
    setProblem(undefined);
    setRules(next);
  };
  return (
    <Dialog
      isOpen
      isSheet
      onClose={onClose}
      title="Grant roles"
      description="A role stands for the rules that a kind of application needs. Add roles, review their rules, and create them together."
    >
      <div className="flex flex-col gap-5">
        <RoleForm draft={draft} problem={problem} onChange={setDraft} onAdd={add} />
        <RuleReview rules={rules} known={known} onChange={setRules} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <ChangeButton
            kind="primary"
            disabled={added.length === 0}
            onClick={() => {
              startTask(creationOf(added, clusterId));
              onClose();
            }}
          >
            Create {counted(added.length, 'rule')}
          </ChangeButton>
        </div>
      </div>
    </Dialog>
  );
}

interface RoleFormProps {
  readonly draft: RoleDraft;
  readonly problem: string | undefined;
  readonly onChange: (draft: RoleDraft) => void;
  readonly onAdd: () => void;
}

const placeholders: Readonly<Record<AclRoleInput, string>> = {
  topics: 'orders, payments.*',
  outputTopics: 'totals',
  internalTopics: 'connect-*',
  groups: 'shop',
  transactionalIds: 'shop-*',
  applicationId: 'my-application',
  prefix: 'team-a.',
};

const helps: Partial<Record<AclRoleInput, string>> = {
  applicationId: 'The application.id; its internal topics, group and transactions begin with it.',
  prefix: 'The prefix of the names.',
  internalTopics: 'The topics of config.storage.topic, offset.storage.topic and status.storage.topic.',
};

function RoleForm({ draft, problem, onChange, onAdd }: RoleFormProps) {
  const { role, inputs } = draft;
  const { description, inputs: wanted, optional = [] } = aclRole(role);
  const credentials = useClusterOperation('list_virtual_cluster_credentials', {});
  const list = useId();
  return (
    <Form button="Add rules" action={{ isPending: false, error: null }} onSubmit={onAdd}>
      <TextField
        label="Principals"
        name="principals"
        autoFocus
        list={list}
        placeholder="User:shop, User:audit"
        value={draft.principals}
        onText={(principals) => onChange({ ...draft, principals })}
      >
        User:NAME of credentials, separated by commas.
      </TextField>
      <datalist id={list}>
        {credentials.data?.credentials.map(({ id, name }) => (
          <option key={id} value={`User:${name}`} />
        ))}
      </datalist>
      <SelectField
        label="Role"
        name="role"
        value={role}
        onChange={({ target }) => onChange({ ...draft, role: target.value as AclRoleName })}
        options={aclRoleNames.map((name) => [name, aclRole(name).title])}
      >
        {description}
      </SelectField>
      {wanted.map((input) => (
        <TextField
          key={input}
          label={`${aclRoleInputs[input]}${optional.includes(input) ? ' (optional)' : ''}`}
          name={input}
          placeholder={placeholders[input]}
          value={inputs[input] ?? ''}
          onText={(text) => onChange({ ...draft, inputs: { ...inputs, [input]: text } })}
        >
          {helps[input] ?? 'Names separated by commas; orders.* is a prefix, * is all.'}
        </TextField>
      ))}
      <TextField
        label="Host"
        name="host"
        placeholder="*"
        value={draft.host}
        onText={(host) => onChange({ ...draft, host })}
      >
        IP address of the client. Empty for all hosts.
      </TextField>
      {problem !== undefined && (
        <p role="alert" className="text-sm">
          <Status kind="fail" wraps>
            {problem}
          </Status>
        </p>
      )}
    </Form>
  );
}

interface RuleReviewProps {
  readonly rules: readonly Rule[];
  readonly known: ReadonlySet<string>;
  readonly onChange: (rules: readonly Rule[]) => void;
}

/** The rules as they will be; each can be changed or taken out. */
function RuleReview({ rules, known, onChange }: RuleReviewProps) {
  const [edited, setEdited] = useState<string>();
  return (
    <section aria-label="Rules to create" className="rounded-md border border-line">
      <header className="flex min-h-10 items-center gap-2 border-b border-line px-3">
        <h3 className="flex-1 text-sm font-semibold text-ink">{counted(rules.length, 'rule')} to review</h3>
        {rules.length > 0 && (
          <Button kind="quiet" onClick={() => onChange([])}>
            Remove all
          </Button>
        )}
      </header>
      {rules.length === 0 ? (
        <p className="px-3 py-4 text-sm text-muted">Fill in the form above and click Add rules.</p>
      ) : (
        <ul className="divide-y divide-line">
          {rules.map((rule) => {
            const key = keyOfRule(rule);
            const words = ruleInWords(rule);
            return (
              <li key={key} className="px-3 py-1 text-sm">
                <div className="flex flex-wrap items-center gap-2">
                  <bdi className="min-w-0 flex-1 basis-52 break-words text-ink">{words}</bdi>
                  {known.has(key) && <Status kind="muted">exists already</Status>}
                  <IconButton
                    icon={PencilIcon}
                    label={`Edit: ${words}`}
                    aria-expanded={edited === key}
                    onClick={() => setEdited(edited === key ? undefined : key)}
                  />
                  <IconButton
                    icon={XIcon}
                    label={`Remove: ${words}`}
                    onClick={() => onChange(rules.filter((one) => one !== rule))}
                  />
                </div>
                {edited === key && (
                  <div className="py-2">
                    <Form
                      button="Change rule"
                      action={{ isPending: false, error: null }}
                      onCancel={() => setEdited(undefined)}
                      onSubmit={(fields) => {
                        onChange(withRuleReplaced(rules, key, ruleOfFields(fields)));
                        setEdited(undefined);
                      }}
                    >
                      <RuleFields given={rule} />
                    </Form>
                  </div>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
