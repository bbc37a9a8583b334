import { PlusIcon, XIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { controlClass } from '../../../ui/field.tsx';
import { Form } from '../../../ui/form.tsx';
import { say } from '../../../ui/toasts.tsx';
import { type TypedTag, tagProblem, tagsOf } from './tags.ts';

interface TagsDialogProps {
  readonly clusterId: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly onClose: () => void;
}

const empty = (key: number): TypedTag => ({ key, name: '', value: '' });

/** Replaces all tags. What is wrong is said while it is typed. */
export function TagsDialog({ clusterId, tags, onClose }: TagsDialogProps) {
  const update = useAction('update_virtual_cluster_tags');
  const [typed, setTyped] = useState<readonly TypedTag[]>(() => {
    const there = Object.entries(tags).map(([name, value], key) => ({ key, name, value }));
    return there.length === 0 ? [empty(0)] : there;
  });
  const isReady = typed.every((tag) => tagProblem(tag, typed) === undefined);
  const set = (key: number, change: Partial<TypedTag>) =>
    setTyped((now) => now.map((tag) => (tag.key === key ? { ...tag, ...change } : tag)));
  return (
    <Dialog isOpen onClose={onClose} title="Tags" description="Names and values to group clusters by.">
      <Form
        what="change the tags"
        button="Save tags"
        action={{ isPending: update.isPending || !isReady, error: update.error }}
        onCancel={onClose}
        onSubmit={() =>
          update.mutate(
            { virtual_cluster_id: clusterId, tags: tagsOf(typed) },
            {
              onSuccess: () => {
                say('Changed the tags');
                onClose();
              },
            },
          )
        }
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
                  <Button
                    kind="quiet"
                    isIcon
                    aria-label={`Remove tag ${index + 1}`}
                    onClick={() => setTyped((now) => now.filter(({ key }) => key !== tag.key))}
                  >
                    <XIcon aria-hidden="true" />
                  </Button>
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
          <Button onClick={() => setTyped((now) => [...now, empty((now.at(-1)?.key ?? -1) + 1)])}>
            <PlusIcon aria-hidden="true" /> Add tag
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
