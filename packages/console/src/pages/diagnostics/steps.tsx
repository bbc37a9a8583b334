import type { LinkProps } from '@tanstack/react-router';
import { useClusterId } from '../../api/use-cluster.ts';
import { useAction } from '../../api/use-operation.ts';
import { visibleText } from '../../format/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { pageOfObject } from '../../ui/object-link.tsx';
import { Command } from '../../ui/states.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { say, sayWithUndo } from '../../ui/toasts.tsx';
import type { Step, StepPage } from './evidence/steps-of.ts';

interface StepsProps {
  readonly steps: readonly Step[];
}

/** What can be done at once: a command to copy, a page, or a button. */
export function Steps({ steps }: StepsProps) {
  const clusterId = useClusterId();
  if (steps.length === 0) return null;
  return (
    <ol className="divide-y divide-line border-t border-line">
      {steps.map((step) => (
        <li key={step.text} className="flex flex-col gap-1 px-4 py-2 text-sm">
          {'command' in step ? (
            <>
              <p className="text-body">{visibleText(step.text)}</p>
              <div className="flex max-w-full">
                <Command text={step.command} />
              </div>
            </>
          ) : 'page' in step ? (
            <TextLink {...pageOf(clusterId, step.page, step.name)}>{visibleText(step.text)}</TextLink>
          ) : (
            <SetCompatibility subject={step.compatibilityOf} text={step.text} />
          )}
        </li>
      ))}
    </ol>
  );
}

function pageOf(clusterId: string, page: StepPage, name: string): LinkProps {
  const params = { clusterId };
  const filtered = name === '' ? {} : { search: { q: name } };
  switch (page) {
    case 'group':
      return pageOfObject(clusterId, { kind: 'group', name })!;
    case 'topicConfigs':
      return { to: '/clusters/$clusterId/topics/$topic/configs', params: { clusterId, topic: name } };
    case 'topicSchema':
      return { to: '/clusters/$clusterId/topics/$topic/schema', params: { clusterId, topic: name } };
    case 'credentials':
      return { to: '/clusters/$clusterId/credentials', params, ...filtered };
    case 'agents':
      return { to: '/clusters/$clusterId/agents', params, ...filtered };
    case 'acls':
      return { to: '/clusters/$clusterId/acls', params };
  }
}

interface SetCompatibilityProps {
  readonly subject: string | undefined;
  readonly text: string;
}

/** Lets the registry check new versions. It only refuses more than before, and can be undone. */
function SetCompatibility({ subject, text }: SetCompatibilityProps) {
  const clusterId = useClusterId();
  const update = useAction('update_registry_config');
  const target = { virtual_cluster_id: clusterId, ...(subject === undefined ? {} : { subject }) };
  const set = (level: 'BACKWARD' | 'NONE', onSuccess: () => void) =>
    update.mutate(
      { ...target, compatibility_level: level },
      { onSuccess, onError: ({ message }) => say(message, 'fail') },
    );
  const name = subject === undefined ? 'the registry' : visibleText(subject);
  return (
    <div>
      <Button
        disabled={update.isPending}
        onClick={() =>
          set('BACKWARD', () =>
            sayWithUndo(`Set the compatibility level of ${name} to BACKWARD`, () =>
              set('NONE', () => say(`Set the compatibility level of ${name} back to NONE`)),
            ),
          )
        }
      >
        {visibleText(text)}
      </Button>
    </div>
  );
}
