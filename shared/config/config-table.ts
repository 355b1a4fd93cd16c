/** Renders the configuration's schema as a Markdown table with one row for each key. */
import type { Rule, Schema } from "#shared/base/schema/schema.ts";

interface Row {
	key: string;
	type: string;
	/** The default value as JSON; empty when there is none. */
	fallback: string;
	meaning: string;
}

/**
 * Returns the table. @param values The values that apply when nobody sets any (schema and `config/default.yaml`), in
 * the shape of the schema.
 */
export function configTable(fields: Schema, values: object): string {
	const rows = rowsOf(fields, values, "");
	const cells = rows.map(({ key, type, fallback, meaning }) => [
		`\`${key}\``,
		type,
		fallback && `\`${fallback}\``,
		meaning,
	]);
	const lines = [["Key", "Value", "Default", "Meaning"], ["---", "---", "---", "---"], ...cells];
	return lines.map((line) => `| ${line.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`).join("");
}

function rowsOf(fields: Schema, values: object, above: string): Row[] {
	return Object.entries(fields).flatMap(([name, rule]) => {
		const key = `${above}${name}`;
		const value = Object.hasOwn(values, name) ? Reflect.get(values, name) : undefined;
		if (rule.type !== "object") return [rowOf(key, rule, value)];
		const rows = rowsOf(rule.props, typeof value === "object" && value !== null ? value : {}, `${key}.`);
		const [first, ...others] = rows;
		return first && rule.description
			? [{ ...first, meaning: `${rule.description}. ${first.meaning}` }, ...others]
			: rows;
	});
}

function rowOf(key: string, rule: Rule, value: unknown): Row {
	return {
		key,
		type: typeText(rule),
		fallback: value === undefined || value === "" ? "" : JSON.stringify(value),
		meaning: rule.description ?? "",
	};
}

function typeText(rule: Rule): string {
	if (rule.type === "enum") return rule.values.map((value) => `\`${value}\``).join(", ");
	if (rule.type === "array") return `list of ${typeText(rule.items)}`;
	if (rule.type === "record") return "map";
	if (rule.type === "number") return `${rule.integer ? "integer" : "number"}${bounds(rule)}`;
	return rule.type;
}

function bounds({ min, max }: { min?: number; max?: number }): string {
	if (min !== undefined && max !== undefined) return ` ${min}–${max}`;
	if (min !== undefined) return ` ≥ ${min}`;
	return max === undefined ? "" : ` ≤ ${max}`;
}
