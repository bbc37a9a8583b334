import { yaml } from '@codemirror/lang-yaml';
import type { Extension } from '@codemirror/state';
import { useParams } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useMemo, useRef, useState } from 'react';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { counted } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { CodeEditor, type EditorHandle } from '../../ui/editor/code-editor.tsx';
import { TextDiff } from '../../ui/editor/text-diff.tsx';
import { Card } from '../../ui/page.tsx';
import { Answer, Failure } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { say } from '../../ui/toasts.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { offsetOf } from './offset-of.ts';
import { Templates } from './templates.tsx';
import { Trial } from './trial.tsx';

type Described = OutputOf<'describe_pipeline'>;

export const asYaml: readonly Extension[] = [yaml()];
const checkDelayMs = 350;

/** The configuration of a pipeline: checked while it is typed, and compared with the deployed one before it counts. */
export function PipelineEditor() {
  const { clusterId, pipelineId } = useParams({ from: '/frame/clusters/$clusterId/pipelines/$pipelineId/' });
  const target = { virtual_cluster_id: clusterId, pipeline_id: pipelineId };
  const described = useOperation('describe_pipeline', target);
  return (
    <Answer of={described} what="describe the pipeline">
      {(now) => <Editor key={pipelineId} target={target} described={now} />}
    </Answer>
  );
}

interface EditorProps {
  readonly target: { readonly virtual_cluster_id: string; readonly pipeline_id: string };
  readonly described: Described;
}

function Editor({ target, described }: EditorProps) {
  const { pipeline_overview: pipeline, pipeline_configurations: configurations } = described;
  const deployed = configurations.find(({ id }) => id === pipeline.deployed_configuration_id);
  const deployedText = deployed?.configuration_yaml ?? '';
  const [text, setText] = useState(deployedText || (configurations.at(-1)?.configuration_yaml ?? ''));
  const [isReviewing, setReviewing] = useState(false);
  const editor = useRef<EditorHandle>(null);
  const settled = useDebounced(text, checkDelayMs);
  const isEmpty = text.trim() === '';
  const check = useOperation(
    'check_pipeline_configuration',
    {
      virtual_cluster_id: target.virtual_cluster_id,
      pipeline_type: pipeline.type,
      configuration_yaml: settled,
    },
    { isEnabled: settled.trim() !== '' },
  );
  const isCurrent = settled === text && !check.isFetching;
  const problems = check.data?.problems;
  const warnings = check.data?.warnings ?? [];
  const marks = useMemo(
    () =>
      (problems ?? []).map(({ line, column, message }) => {
        const from = offsetOf(settled, line, column);
        const lineEnd = settled.indexOf('\n', from);
        return { from, to: Math.max(from + 1, lineEnd === -1 ? settled.length : lineEnd), message };
      }),
    [problems, settled],
  );
  const isValid = !isEmpty && isCurrent && check.data?.problem_count === 0;
  if (isReviewing)
    return (
      <Review
        target={target}
        before={deployedText}
        after={text}
        onBack={() => setReviewing(false)}
        onDeployed={() => setReviewing(false)}
      />
    );
  const listed = (label: string, found: NonNullable<typeof problems>) => (
    <ol aria-label={label} className="flex flex-col gap-2">
      {found.map(({ line, column, message }) => (
        <li key={`${line} ${column} ${message}`} className="flex min-w-0 gap-2 text-sm">
          <button
            type="button"
            onClick={() => editor.current?.goTo(offsetOf(text, line, column))}
            className="min-h-6 min-w-6 self-start rounded px-1 font-mono text-xs text-accent underline"
          >
            {line}:{column}
          </button>
          <span className="min-w-0 flex-1 break-words text-body">{visibleText(message)}</span>
        </li>
      ))}
    </ol>
  );
  return (
    <div className="grid items-start gap-4 md:grid-cols-[minmax(0,2fr)_minmax(18rem,1fr)]">
      <CodeEditor
        label="Configuration"
        value={text}
        onChange={setText}
        extensions={asYaml}
        marks={isEmpty ? noMarks : marks}
        handle={editor}
        placeholder="input: …"
        className="min-h-96"
      />
      <div className="flex min-w-0 flex-col gap-4">
        {isEmpty && pipeline.type === 'bento' && <Templates onChoose={setText} />}
        <Card title="Problems">
          <div className="flex flex-col gap-3 p-4" aria-live="polite">
            {isEmpty ? (
              <p className="text-sm text-muted">Enter a configuration in YAML.</p>
            ) : check.isError ? (
              <Failure what="check the configuration" error={check.error} onRetry={() => check.refetch()} />
            ) : !isCurrent || problems === undefined ? (
              <Status kind="muted">checking …</Status>
            ) : problems.length === 0 ? (
              <>
                <Status kind="ok">Valid configuration</Status>
                {warnings.length > 0 && listed('Warnings', warnings)}
              </>
            ) : (
              <>
                <Status kind="fail">{counted(check.data!.problem_count, 'problem')}</Status>
                {listed('Problems', problems)}
              </>
            )}
            <Button
              kind="primary"
              disabled={!isValid || text === deployedText}
              onClick={() => setReviewing(true)}
            >
              Review and deploy
            </Button>
            {!isEmpty && text === deployedText && (
              <p className="text-sm text-muted">No changes: this configuration is deployed.</p>
            )}
          </div>
        </Card>
        {pipeline.type === 'bento' && (
          <Trial clusterId={target.virtual_cluster_id} yaml={text} isValid={isValid} />
        )}
      </div>
    </div>
  );
}

const noMarks: readonly [] = [];

interface ReviewProps {
  readonly target: EditorProps['target'];
  readonly before: string;
  readonly after: string;
  readonly onBack: () => void;
  readonly onDeployed: () => void;
}

/** What deploying would change. */
function Review({ target, before, after, onBack, onDeployed }: ReviewProps) {
  const create = useAction('create_pipeline_configuration');
  const change = useAction('change_pipeline_state');
  const deploy = () =>
    create.mutate(
      { ...target, configuration_yaml: after },
      {
        onSuccess: ({ configuration_id }) =>
          change.mutate(
            { ...target, deployed_configuration_id: configuration_id },
            {
              onSuccess: () => {
                say('Deployed the configuration');
                onDeployed();
              },
            },
          ),
      },
    );
  return (
    <div className="flex flex-col gap-3">
      <h2 className="text-base font-medium text-ink">
        {before === '' ? 'Configuration to deploy' : 'Changes to deploy'}
      </h2>
      <TextDiff
        label="Changes to the deployed configuration"
        before={before}
        after={after}
        extensions={asYaml}
      />
      {create.error !== null && <Failure what="store the configuration" error={create.error} />}
      {change.error !== null && (
        <Failure what="deploy the configuration, which is stored as a version" error={change.error} />
      )}
      <div className="flex gap-2">
        <Button onClick={onBack}>Back to editor</Button>
        <Button kind="primary" disabled={create.isPending || change.isPending} onClick={deploy}>
          Deploy
        </Button>
      </div>
    </div>
  );
}
