import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { shownKeys, useShortcut, useShortcutKeys, useShortcutsByGroup } from '../../ui/shortcuts.ts';
import { accountPages } from '../pages-of-account.ts';

/** `?` shows every shortcut that works on the page. */
export function ShortcutsDialog() {
  const [isOpen, setOpen] = useState(false);
  useShortcutKeys();
  useShortcut({ keys: '?', label: 'Show keyboard shortcuts', group: 'Everywhere' }, () => setOpen(true));
  return (
    <>
      <GoToClusters />
      {accountPages.map(({ label, keys, to }) => (
        <GoTo key={keys} label={label} keys={keys} to={to as '/keys'} />
      ))}
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Keyboard shortcuts">
        <ShortcutList />
      </Dialog>
    </>
  );
}

const GoToClusters = () => <GoTo label="Clusters" keys="g c" to="/clusters" />;

interface GoToProps {
  readonly label: string;
  readonly keys: string;
  readonly to: '/clusters' | '/keys';
}

function GoTo({ label, keys, to }: GoToProps) {
  const navigate = useNavigate();
  useShortcut({ keys, label, group: 'Go to' }, () => void navigate({ to }));
  return null;
}

function ShortcutList() {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {useShortcutsByGroup()
        .filter(([, shortcuts]) => shortcuts.length > 0)
        .map(([group, shortcuts]) => (
          <section key={group}>
            <h3 className="mb-1 text-xs font-medium text-muted">{group}</h3>
            <dl>
              {shortcuts.map(({ keys, label }) => (
                <div key={keys + label} className="flex items-center gap-2 py-1 text-sm">
                  <dt className="min-w-0 flex-1 text-ink">{label}</dt>
                  <dd className="flex gap-1">
                    {shownKeys(keys).map((cap) => (
                      <kbd
                        key={cap}
                        className="rounded border border-line px-1.5 font-mono text-xs text-body"
                      >
                        {cap}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
    </div>
  );
}
