/** Reads the templates of one file. Its faults name the file, the line and the key. Pure. */
import { compileSchema } from "#shared/base/schema/validator.ts";
import { placedYamlDocuments, type YamlDocument } from "#shared/base/yaml/yaml-text.ts";
import { type Template, template as templateFields } from "#shared/contracts/templates.ts";
import { documentMistake } from "#shared/base/yaml/document-mistake.ts";
import { variableFaults } from "#shared/wire/pod/variable-name.ts";
import { workloadFaults } from "../owned/workload-faults.ts";
import type { TemplateFault, TemplateList } from "../template-source.ts";

const form = { fields: templateFields, check: compileSchema(templateFields), kind: "templates" };

/** Returns the templates of a text, one per document. An empty document is none. */
export function templatesIn(origin: string, text: string): TemplateList {
	let documents: YamlDocument[];
	try {
		documents = placedYamlDocuments(text);
	} catch (error) {
		return { templates: [], faults: [faultOf(origin, error instanceof Error ? error.message : String(error))] };
	}
	const read = documents.filter(({ value }) => value !== null).map((document) => templateIn(origin, document));
	return {
		templates: read.filter((one) => !("sentence" in one)) as Template[],
		faults: read.filter((one) => "sentence" in one),
	};
}

/** Makes a fault. @param mistake The place and the mistake. @param name The name of the template. */
export function faultOf(origin: string, mistake: string, name?: string): TemplateFault {
	return { origin, sentence: `Template file "${origin}": ${mistake}`, name };
}

function templateIn(origin: string, document: YamlDocument): Template | TemplateFault {
	const mistake = documentMistake(document, form) ?? variableMistake(document) ?? workloadMistake(document);
	return mistake === undefined ? (document.value as Template) : faultOf(origin, mistake, nameOf(document.value));
}

/** Returns the place of a variable that no launch would set. */
function variableMistake({ value, lineOf }: YamlDocument): string | undefined {
	const [fault] = variableFaults((value as Template).env_vars);
	return fault === undefined ? undefined : `line ${lineOf(["env_vars"])}, "env_vars": ${fault}`;
}

/** Returns the place of a value of `workload_config` that no session could be started with. */
function workloadMistake({ value, lineOf }: YamlDocument): string | undefined {
	const [fault] = workloadFaults((value as Template).workload_config);
	if (fault === undefined) return undefined;
	return `line ${lineOf(["workload_config", fault.member])}, "workload_config.${fault.member}": ${fault.message}`;
}

function nameOf(value: unknown): string | undefined {
	const name = typeof value === "object" && value !== null && "name" in value ? value.name : undefined;
	return typeof name === "string" ? name : undefined;
}
