/**
 * Makes the files of the Helm chart from the objects of the overlay `production`, so that nothing is written twice: each value of
 * the chart takes the place of what the overlay has there, which is its default.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Document, isPair, isScalar, parseDocument, visit } from "yaml";
import { projectRoot } from "#shared/base/project-root.ts";
import { type ChartValue, chartSwitches, chartValues, freeValues } from "./chart-values.ts";
import { valueForms } from "./value-forms.ts";
import { valuesSchema } from "./values-schema.ts";
import { kindOf, kustomized, type Manifest, nameOf } from "./kustomization.ts";

const k8s = join(projectRoot, "k8s");
const generated = "# `npm run chart` has written this file from k8s/overlays/production.\n";
/** Lines are not folded: some have expressions. */
const written = { lineWidth: 0, directives: false };

/** Returns the texts of the files by their paths in the folder of the chart. */
export function chartFiles(): Map<string, string> {
	const components = ["metrics", "hold-drains", "templates", "vault"].map((name) => join(k8s, "components", name));
	const all = kustomized(join(k8s, "overlays/production"), components);
	const objects = all.filter((manifest) => kindOf(manifest) !== "Namespace");
	const files = new Map([["Chart.yaml", chartFile()]]);
	files.set("values.yaml", valuesFile(objects));
	files.set("values.schema.json", `${JSON.stringify(valuesSchema(), undefined, "\t")}\n`);
	for (const manifest of objects) markChange(manifest);
	const placed = [...chartValues, ...placedSwitches()];
	const expressions = new Map(placed.map((value, index) => [mark(index), value] as const));
	for (const [index, value] of placed.entries()) place(value, mark(index), objects);
	for (const [file, inside] of Map.groupBy(objects, fileOf))
		files.set(`templates/${file}.yaml`, templateOf(file, inside, expressions));
	return files;
}

function chartFile(): string {
	const { version } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")) as { version: string };
	const chart = {
		apiVersion: "v2",
		name: "atelier",
		description: "Self-hosted platform for AI coding sessions",
		type: "application",
		version,
		appVersion: version,
		kubeVersion: ">=1.30.0-0",
	};
	return generated + String(new Document(chart));
}

/** Returns the switches whose value stands in objects that are there without them, too. */
function placedSwitches(): ChartValue[] {
	return chartSwitches.flatMap(({ name, comment, places }) =>
		places ? [{ name, comment, form: "switch", places }] : [],
	);
}

/** Returns the text that stands for a value until the objects are written. */
function mark(index: number): string {
	return `VALUE_${index}_`;
}

function pathOf(path: string): (string | number)[] {
	return path.split(".").map((key) => (/^\d+$/.test(key) ? Number(key) : key));
}

/** The objects with the places of a value. @throws {RangeError} when the overlay has none. */
function placesOf({ name, places }: ChartValue, objects: readonly Manifest[]): [Manifest, (string | number)[]][] {
	return places.flatMap((place) => {
		const isPlace = new RegExp(`^(?:${place.name})$`);
		const found = objects.filter((manifest) => kindOf(manifest) === place.kind && isPlace.test(nameOf(manifest)));
		if (found.length === 0) throw new RangeError(`Value "${name}" has no place in a ${place.kind}`);
		return found.map((manifest): [Manifest, (string | number)[]] => [manifest, pathOf(place.path)]);
	});
}

function place(value: ChartValue, text: string, objects: readonly Manifest[]): void {
	for (const [manifest, path] of placesOf(value, objects)) manifest.setIn(path, manifest.createNode(text));
}

/** Returns what stands in the places of a value, which have to agree. */
function usualOf(value: ChartValue, objects: readonly Manifest[]): unknown {
	if (value.usual !== undefined) return value.usual;
	const found = placesOf(value, objects).map(([manifest, path]) => {
		const member = path.reduce<unknown>(
			(node, key) => (node instanceof Object ? Reflect.get(node, key) : undefined),
			manifest.toJS(),
		);
		if (member === undefined)
			throw new RangeError(`Value "${value.name}": ${nameOf(manifest)} has no ${path.join(".")}`);
		return member;
	});
	if (new Set(found.map((one) => JSON.stringify(one))).size > 1)
		throw new RangeError(`Value "${value.name}" differs between its places`);
	return found[0];
}

function valuesFile(objects: readonly Manifest[]): string {
	const comments = new Map<string, string>(Object.entries(freeValues));
	const document = new Document({});
	const add = (name: string, comment: string, value: unknown) => {
		comments.set(name, comment);
		document.setIn(name.split("."), value);
	};
	for (const value of chartValues) add(value.name, value.comment, usualOf(value, objects));
	for (const { name, comment, usual } of chartSwitches) add(name, comment, usual);
	document.set("environment", {});
	document.set("configFiles", {});
	// Helm reads YAML 1.1, in which `off` is no text.
	const whole = new Document(document.toJS(), { version: "1.1" });
	const config = configuration();
	if (config.contents) config.contents.commentBefore = null;
	config.delete("identity");
	whole.set("config", config.contents);
	comment(whole, comments);
	return `${generated}# Without a word of yours, the objects are those of that overlay.\n${whole.toString(written)}${identityWords()}`;
}

function configuration(): Document {
	return parseDocument(readFileSync(join(k8s, "overlays/production/atelier.yaml"), "utf8"));
}

/** Helm would merge the map of roles with that of the operator, so that the template has it, and these lines show it. */
function identityWords(): string {
	const { identity } = configuration().toJS() as { identity: object };
	const lines = String(new Document({ identity })).trimEnd().split("\n");
	const words = "Who people are. Yours takes the place of all of this, which holds without it:";
	return [words, ...lines].map((line) => `  # ${line}\n`).join("");
}

function usualIdentity(): string {
	const { identity } = configuration().toJS() as { identity: object };
	return JSON.stringify(identity);
}

function comment(document: Document, comments: ReadonlyMap<string, string>): void {
	visit(document, {
		Pair: (_, pair, path) => {
			const keys = [...path, pair].filter(isPair).map(({ key }) => String(isScalar(key) ? key.value : key));
			const text = comments.get(keys.join("."));
			if (text === undefined) return;
			const key = isScalar(pair.key) ? pair.key : document.createNode(pair.key);
			key.commentBefore = ` ${text}`;
			pair.key = key;
		},
	});
}

/** Processes read their configuration when they start, so that another one makes other pods. */
function markChange(manifest: Manifest): void {
	if (kindOf(manifest) === "ConfigMap" && nameOf(manifest) === "atelier-config")
		manifest.set("data", manifest.createNode({ "atelier.yaml": "CONFIG_" }));
	if (kindOf(manifest) !== "Deployment") return;
	const annotations = manifest.createNode({ "atelier.dev/config": "CHECKSUM_" });
	manifest.setIn(["spec", "template", "metadata", "annotations"], annotations);
}

/** Returns the file of an object: one for each process, and one for each of the other subjects. */
function fileOf(manifest: Manifest): string {
	const [kind, name] = [kindOf(manifest), nameOf(manifest)];
	const inSessions = manifest.getIn(["metadata", "namespace"]) === "atelier-sessions";
	if (["hold-drains", "vault"].includes(name)) return name;
	if (name === "metrics" || kind === "PodMonitor") return "metrics";
	if (name === "templates" || kind === "CustomResourceDefinition") return "templates";
	if (kind.startsWith("ValidatingAdmission")) return "admission-policy";
	if (/Role/.test(kind)) return "rights";
	if (inSessions) return "sessions";
	const byKind: Record<string, string> = {
		ConfigMap: "config",
		Ingress: "ingress",
		NetworkPolicy: "network-policies",
		PriorityClass: "priorities",
	};
	return byKind[kind] ?? name;
}

function templateOf(file: string, objects: readonly Manifest[], expressions: ReadonlyMap<string, ChartValue>): string {
	const text = objects.map((manifest) => textOf(manifest, expressions)).join("---\n");
	const { name } = chartSwitches.find((one) => one.file === file) ?? {};
	const guarded = name === undefined ? text : `{{- if .Values.${name} }}\n${text}{{- end }}\n`;
	return generated + (file === "config" ? refusals + guarded : guarded);
}

const refusals = `{{- if ne .Release.Namespace "atelier-system" }}
{{- fail "Install this chart into the namespace atelier-system: other objects and the network policies name it" }}
{{- end }}
{{- $people := .Values.config.gateway.public_url | default "" | urlParse }}
{{- if and .Values.ingress.enabled (ne $people.hostname .Values.ingress.host) }}
{{- fail (printf "config.gateway.public_url has the host %q and ingress.host is %q: people reach the platform by one name" $people.hostname .Values.ingress.host) }}
{{- end }}
`;

const configExpression = `{{- $identity := .Values.config.identity | default (fromJson \`IDENTITY_\`) }}
    {{- toYaml (set (deepCopy .Values.config) "identity" $identity) | nindent 4 }}`;

function textOf(manifest: Manifest, expressions: ReadonlyMap<string, ChartValue>): string {
	const text = manifest
		.toString(written)
		.replace(/^.*VALUE_.*$/gm, (line) =>
			line.replace(/VALUE_\d+_/g, (found) => expressionOf(expressions.get(found), line)),
		);
	const whole = text
		.replace("CHECKSUM_", "{{ list .Values.config .Values.configFiles .Values.environment | toYaml | sha256sum }}")
		.replace("CONFIG_", () => `|\n    ${configExpression.replace("IDENTITY_", usualIdentity)}`);
	const more = kindOf(manifest) === "ConfigMap" ? further[nameOf(manifest)] : undefined;
	return more === undefined
		? whole
		: `${switched(whole)}{{- with .Values.${more} }}\n  {{- toYaml . | nindent 2 }}\n{{- end }}\n`;
}

/** The values with further members of a ConfigMap. */
const further: Readonly<Record<string, keyof typeof freeValues>> = {
	atelier: "environment",
	"atelier-config": "configFiles",
};

/** Returns the text of a map with the variables that a switch brings. */
function switched(text: string): string {
	return chartSwitches.reduce((some, { name, variables = [] }) => {
		const lines = new RegExp(`^ +(?:${variables.join("|")}): .*\n`, "gm");
		return variables.length === 0
			? some
			: some.replace(lines, (line) => `{{- if .Values.${name} }}\n${line}{{- end }}\n`);
	}, text);
}

/** Returns the expression of a value; a block is indented below the member in whose line it stands. */
function expressionOf(value: ChartValue | undefined, line: string): string {
	if (!value) throw new RangeError(`No value stands in "${line}"`);
	const { written: way } = valueForms[value.form ?? "text"];
	if (way !== "block") return `{{ .Values.${value.name}${way === "plain" ? "" : " | quote"} }}`;
	const indentation = /^ *(?:- )*/.exec(line)?.[0].length ?? 0;
	return `{{- toYaml .Values.${value.name} | nindent ${indentation + 2} }}`;
}
