import { useParams } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { problemOf } from '../../api/client.ts';
import { useClusterId } from '../../api/use-cluster.ts';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { visibleText } from '../../format/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, SelectField } from '../../ui/fields.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answer } from '../../ui/states.tsx';
import { say } from '../../ui/toasts.tsx';

type Config = OutputOf<'describe_registry_config'>;
type Level = Config['compatibility_level'];
type Mode = Config['mode'];

const levels: Readonly<Record<Level, string>> = {
  NONE: 'No compatibility check.',
  BACKWARD: 'Consumers with the new version can read records of the latest version.',
  BACKWARD_TRANSITIVE: 'Consumers with the new version can read records of all versions.',
  FORWARD: 'Consumers with the latest version can read records of the new version.',
  FORWARD_TRANSITIVE: 'Consumers with any version can read records of the new version.',
  FULL: 'BACKWARD and FORWARD: the new and the latest version can read each other.',
  FULL_TRANSITIVE: 'BACKWARD and FORWARD against all versions.',
};

const modes: Readonly<Record<Mode, string>> = {
  READWRITE: 'Schemas can be registered and deleted.',
  READONLY: 'Changes are refused.',
  READONLY_OVERRIDE: 'Changes are refused, whatever the mode of a subject.',
  IMPORT: 'Schemas are registered with the ids of another registry.',
  FORWARD: 'Changes are forwarded to another registry.',
};

/** The rules of the whole registry. */
export function RegistryRules() {
  return (
    <Page title="Registry config" facts="Applies to every subject without its own config">
      <Rules />
    </Page>
  );
}

export function SubjectRules() {
  const { subject } = useParams({
    from: '/frame/clusters/$clusterId/subjects/$subject/config',
  });
  return <Rules subject={subject} />;
}

interface RulesProps {
  readonly subject?: string;
}

function Rules({ subject }: RulesProps) {
  const clusterId = useClusterId();
  const target = { virtual_cluster_id: clusterId, ...(subject === undefined ? {} : { subject }) };
  const config = useOperation('describe_registry_config', target);
  return (
    <Card title={subject === undefined ? 'Whole registry' : 'This subject'}>
      <Answer of={config} what="describe the config">
        {(now) => <RulesForm key={JSON.stringify(now)} target={target} config={now} />}
      </Answer>
    </Card>
  );
}

/** Stands for a value that comes from above. */
const inherit = '';

interface RulesFormProps {
  readonly target: { readonly virtual_cluster_id: string; readonly subject?: string };
  readonly config: Config;
}

function RulesForm({ target, config }: RulesFormProps) {
  const update = useAction('update_registry_config');
  const isGlobal = target.subject === undefined;
  const ownLevel = config.own_compatibility_level ?? (isGlobal ? config.compatibility_level : inherit);
  const ownMode = config.own_mode ?? (isGlobal ? config.mode : inherit);
  const [level, setLevel] = useState<string>(ownLevel);
  const [mode, setMode] = useState<string>(ownMode);
  const [normalize, setNormalize] = useState(config.normalize);
  const isChanged = level !== ownLevel || mode !== ownMode || normalize !== config.normalize;
  const save = () => {
    const change = {
      ...target,
      ...(level === ownLevel ? {} : { compatibility_level: level === inherit ? null : (level as Level) }),
      ...(mode === ownMode ? {} : { mode: mode === inherit ? null : (mode as Mode) }),
      ...(normalize === config.normalize ? {} : { normalize }),
    };
    // The form is made anew with the new rules, so that its own callbacks would be lost. It shows failures itself.
    update.mutateAsync(change).then(
      () => say('Changed the config'),
      () => {},
    );
  };
  const choices = (all: Readonly<Record<string, string>>, inherited: string) => [
    ...(isGlobal ? [] : [[inherit, `Registry default (${inherited})`] as const]),
    ...Object.keys(all).map((value) => [value, value] as const),
  ];
  return (
    <div className="flex max-w-2xl flex-col gap-4 p-4">
      <SelectField
        label="Compatibility level"
        name="level"
        value={level}
        onChange={(event) => setLevel(event.target.value)}
        options={choices(levels, config.compatibility_level)}
      >
        {levels[(level === inherit ? config.compatibility_level : level) as Level]}
      </SelectField>
      <SelectField
        label="Mode"
        name="mode"
        value={mode}
        onChange={(event) => setMode(event.target.value)}
        options={choices(modes, config.mode)}
      >
        {modes[(mode === inherit ? config.mode : mode) as Mode]}
      </SelectField>
      <Checkbox
        label="Normalize schemas on registration"
        checked={normalize}
        onChange={(event) => setNormalize(event.target.checked)}
      />
      {config.alias !== null && (
        <p className="text-sm text-muted">It is another name of the subject {visibleText(config.alias)}.</p>
      )}
      {update.error !== null && (
        <p role="alert" className="text-sm text-fail">
          Failed to change the rules: {problemOf(update.error).message}
        </p>
      )}
      <Button kind="primary" className="self-start" disabled={!isChanged || update.isPending} onClick={save}>
        Save
      </Button>
    </div>
  );
}
