import { PlusIcon, XIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { useClusterFormAction } from '../../../ui/actions.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { controlClass } from '../../../ui/fields.tsx';
import { FormDialog } from '../../../ui/form.tsx';
import { type TypedTag, tagProblem, tagsOf } from './tags.ts';

interface TagsDialogProps {
  readonly tags: Readonly<Record<string, string>>;
  readonly onClose: () => void;
}

const empty = (key: number): TypedTag => ({ key, name: '', value: '' });

/** Replaces all tags. What is wrong is said while it is typed. */
export function TagsDialog({ tags, onClose }: TagsDialogProps) {
  const update = useClusterFormAction('update_virtual_cluster_tags', onClose);
  const [typed, setTyped] = useState<readonly TypedTag[]>(() => {
    const there = Object.entries(tags).map(([name, value], key) => ({ key, name, value }));
    return there.length === 0 ? [empty(0)] : there;
  });
  const isReady = typed.every((tag) => tagProblem(tag, typed) === undefined);
  const set = (key: number, change: Partial<TypedTag>) =>
    setTyped((now) => now.map((tag) => (tag.key === key ? { ...tag, ...change } : tag)));
  return (
    <FormDialog
      title="Tags"
      description="Names and values to group clusters by."
      what="change the tags"
      button="Save tags"
      action={{ isPending: update.isPending || !isReady, error: update.error }}
      onClose={onClose}
      onSubmit={() => update.run({ tags: tagsOf(typed) }, 'Changed the tags')}
    >
      <ul className="flex flex-col gap-2">
        {typed.map((tag, index) => {
          const problem = tagProblem(tag, typed);
          return (
            <li key={tag.key}>
              <div className="flex items-center gap-2">
                <input
                  aria-label={`Name of tag ${index + 1}`}
                  aria-invalid={problem !== undefined}
                  placeholder="name"
                  className={controlClass}
                  value={tag.name}
                  onChange={(event) => set(tag.key, { name: event.target.value })}
                />
                <input
                  aria-label={`Value of tag ${index + 1}`}
                  placeholder="value"
                  className={controlClass}
                  value={tag.value}
                  onChange={(event) => set(tag.key, { value: event.target.value })}
                />
                <IconButton
                  icon={XIcon}
                  label={`Remove tag ${index + 1}`}
                  onClick={() => setTyped((now) => now.filter(({ key }) => key !== tag.key))}
                />
              </div>
              {problem !== undefined && (
                <p role="alert" className="mt-1 text-xs text-fail">
                  Tag {index + 1} {problem}
                </p>
              )}
            </li>
          );
        })}
      </ul>
      <div>
        <Button
          icon={PlusIcon}
          onClick={() => setTyped((now) => [...now, empty((now.at(-1)?.key ?? -1) + 1)])}
        >
          Add tag
        </Button>
      </div>
    </FormDialog>
  );
}
