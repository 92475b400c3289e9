import { Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";

/** A screen with its heading, which is the title of the page too. */
export function Screen({
  title,
  about,
  actions,
  children,
}: {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Turngate`;
  }, [title]);
  return (
    <div className="screen">
      <div className="screen-head">
        <div>
          <Title order={1} size="h2">
            {title}
          </Title>
          {about !== undefined && (
            <Text size="sm" c="dimmed" component="div">
              {about}
            </Text>
          )}
        </div>
        {actions !== undefined && <div className="screen-actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

/** A part of a screen with a heading of its own. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="section">
      <div className="screen-head">
        <Title order={2} size="h4">
          {title}
        </Title>
        {actions !== undefined && <div className="screen-actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
