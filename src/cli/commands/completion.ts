// turngate completion: a script with which a shell completes commands, options and the values of options.
import type { Command } from "commander";
import { print } from "../../../packages/kit/output.ts";

export function addCompletion(program: Command): void {
  program
    .command("completion")
    .description("print a script for bash and zsh that completes commands and options")
    .addHelpText("after", '\nFor this shell: eval "$(turngate completion)"')
    .action(() => print(buildScript(program)));
}

/** What may follow some words of a command line. */
interface Place {
  /** The words after `turngate`, each with a space before it. */
  readonly words: string;
  readonly candidates: readonly string[];
}

/** The script; it names every command, so the program is not asked for each key. */
export function buildScript(program: Command): string {
  const commands = placesOf(program, "");
  const paths = commands.map(({ words }) => words).filter((words) => words !== "");
  return `_turngate() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words="" candidates="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$words \${COMP_WORDS[i]}" in
      ${paths.map(quote).join("|")}) words="$words \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$words $before" in
${valuesOf(program, "").map(caseOf).join("\n")}
    *)
      case "$words" in
${commands.map(caseOf).join("\n")}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "$word"))
}
if [ -n "\${ZSH_VERSION-}" ]; then autoload -U +X bashcompinit && bashcompinit; fi
complete -o default -F _turngate turngate
`;
}

/** The subcommands and options of a command and of those below it. */
function placesOf(command: Command, words: string): readonly Place[] {
  const options = command.createHelp().visibleOptions(command);
  const flags = options.flatMap(({ long }) => (long === null || long === undefined ? [] : [long]));
  const candidates = [...command.commands.map((each) => each.name()), ...flags];
  return [{ words, candidates }, ...command.commands.flatMap((each) => placesOf(each, `${words} ${each.name()}`))];
}

/** The values of the options that have a choice, after the option. */
function valuesOf(command: Command, words: string): readonly Place[] {
  const chosen = command.options.flatMap(({ long, argChoices }) =>
    long && argChoices ? [{ words: `${words} ${long}`, candidates: argChoices }] : [],
  );
  return [...chosen, ...command.commands.flatMap((each) => valuesOf(each, `${words} ${each.name()}`))];
}

function caseOf({ words, candidates }: Place): string {
  return `    ${quote(words)}) candidates=${quote(candidates.join(" "))} ;;`;
}

/** Names of commands, options and choices have no quote. */
function quote(text: string): string {
  return `'${text}'`;
}
