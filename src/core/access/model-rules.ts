// Rules about models: a full id, or all ids that begin like one that ends in `*`.

/** Whether a rule is about a model, or about all models that another rule is about. */
export function ruleCovers(rule: string, id: string): boolean {
  return rule === id || (rule.endsWith("*") && id.startsWith(rule.slice(0, -1)));
}

/** Whether one of some rules is about a model. */
export function someRuleCovers(rules: readonly string[], id: string): boolean {
  return rules.some((rule) => ruleCovers(rule, id));
}

/** The rules about the models that both lists are about, in the order of the first. */
export function commonRules(ours: readonly string[], theirs: readonly string[]): readonly string[] {
  const narrower = theirs.filter((rule) => someRuleCovers(ours, rule));
  return [...new Set([...ours.filter((rule) => someRuleCovers(theirs, rule)), ...narrower])];
}
