import { Fragment } from "react";

/** Behind a sign, between the words of a name such as `createResponse`, and not within an id. */
const PLACES = /(?<=[@/.-])|(?<=_)(?![0-9a-f]{32})|(?<=[a-z])(?=[A-Z])/;

/** A long name, which breaks at these places where a line is too short: `grace@acme.example`. */
export function Breakable({ text }: { text: string }) {
  return text.split(PLACES).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
