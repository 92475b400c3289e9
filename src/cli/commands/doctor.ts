// turngate doctor
import type { Command } from "commander";
import { OperatorError } from "../../../packages/kit/operator-error.ts";
import { prints, tableOf } from "../../../packages/kit/output.ts";

export function addDoctor(program: Command): void {
  program
    .command("doctor")
    .description("check configuration, secret, store, disk, providers and clock; exits non-zero if something is wrong")
    .action(
      prints(
        async () => (await import("../../boot/doctor.ts")).examine(),
        (findings) => tableOf(findings, ""),
        (findings) => {
          const wrong = findings.filter((finding) => !finding.ok).map((finding) => finding.check);
          if (wrong.length > 0) throw new OperatorError(`something is wrong: ${wrong.join(", ")}.`);
        },
      ),
    );
}
