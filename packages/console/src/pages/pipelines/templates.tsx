import { pipelineTemplates } from '@weir/api/pipeline-templates';
import { Card } from '../../ui/page.tsx';
import type { Pipeline } from './state.tsx';

type Template = (typeof pipelineTemplates)[number];

interface TemplatesProps {
  readonly of: readonly Template[];
  readonly onChoose: (yaml: string) => void;
}

export function templatesOf(type: Pipeline['type']): readonly Template[] {
  return pipelineTemplates.filter((template) => template.type === type);
}

/** Configurations to begin with, for an editor that is empty. */
export function Templates({ of, onChoose }: TemplatesProps) {
  return (
    <Card title="Templates">
      <ul aria-label="Templates" className="flex flex-col gap-3 p-4">
        {of.map(({ name, about, yaml }) => (
          <li key={name} className="flex flex-col gap-1">
            <button
              type="button"
              onClick={() => onChoose(yaml)}
              className="min-h-6 self-start text-left text-sm font-medium text-accent underline"
            >
              {name}
            </button>
            <p className="text-sm text-muted">{about}</p>
          </li>
        ))}
      </ul>
    </Card>
  );
}
