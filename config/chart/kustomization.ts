/**
 * Reads the objects of a kustomization, with the part of Kustomize that the ones of the project use for the chart: resources,
 * components, namespaces, images, ConfigMaps from literals and files, and patches that add. Names get no hash.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { Document, isMap, isSeq, parse, parseAllDocuments } from "yaml";

/** An object with the comments of its file. */
export type Manifest = Document.Parsed | Document;

/** The members of a kustomization that are known here; another one is refused. */
interface Kustomization {
	readonly apiVersion: string;
	readonly kind: string;
	readonly namespace?: string;
	readonly resources?: readonly string[];
	readonly components?: readonly string[];
	readonly configMapGenerator?: readonly Generator[];
	readonly images?: readonly Image[];
	readonly patches?: readonly Patch[];
}

interface Generator {
	readonly name: string;
	readonly namespace: string;
	readonly behavior?: "merge";
	readonly literals?: readonly string[];
	readonly files?: readonly string[];
}

interface Image {
	readonly name: string;
	readonly newName: string;
	readonly newTag: string;
}

interface Patch {
	readonly target: { readonly kind: string; readonly name: string };
	/** Steps of JSON Patch (RFC 6902), all of them `add`. */
	readonly patch: string;
}

interface Step {
	readonly op: string;
	readonly path: string;
	readonly value: unknown;
}

const known = [
	"apiVersion",
	"kind",
	"namespace",
	"resources",
	"components",
	"configMapGenerator",
	"images",
	"patches",
] as const satisfies readonly (keyof Kustomization)[];

/**
 * Returns the objects of a folder with a kustomization. @param components Folders of further components.
 * @throws {RangeError} for a part of Kustomize that is not known here.
 */
export function kustomized(folder: string, components: readonly string[] = []): Manifest[] {
	return [folder, ...components].reduce<Manifest[]>((some, each) => extended(each, some), []);
}

/** Returns the objects with those of a folder. */
function extended(folder: string, before: readonly Manifest[]): Manifest[] {
	const kustomization = kustomizationOf(folder);
	const { resources = [], components = [], namespace } = kustomization;
	const own = resources.flatMap((resource) => read(join(folder, resource)));
	for (const manifest of own) if (namespace !== undefined) manifest.setIn(["metadata", "namespace"], namespace);
	const all = components.reduce((some, component) => extended(join(folder, component), some), [...before, ...own]);
	amend(folder, kustomization, all);
	return all;
}

function amend(folder: string, { configMapGenerator, patches, images }: Kustomization, all: Manifest[]): void {
	for (const generator of configMapGenerator ?? []) generate(folder, generator, all);
	for (const patch of patches ?? []) apply(patch, all);
	for (const image of images ?? []) rename(image, all);
}

function kustomizationOf(folder: string): Kustomization {
	const file = join(folder, "kustomization.yaml");
	const kustomization = parse(readFileSync(file, "utf8")) as Kustomization;
	const unknown = Object.keys(kustomization).find((name) => !known.some((one) => one === name));
	if (unknown !== undefined) throw new RangeError(`"${unknown}" in "${file}" is not known`);
	return kustomization;
}

function read(path: string): Manifest[] {
	if (statSync(path).isDirectory()) return extended(path, []);
	if (!existsSync(path)) throw new RangeError(`There is no "${path}"`);
	return parseAllDocuments(readFileSync(path, "utf8")) as Document.Parsed[];
}

export function kindOf(manifest: Manifest): string {
	return String(manifest.get("kind"));
}

export function nameOf(manifest: Manifest): string {
	return String(manifest.getIn(["metadata", "name"]));
}

/** Makes a ConfigMap, or adds to the one that is there. */
function generate(folder: string, { name, namespace, literals = [], files = [] }: Generator, all: Manifest[]): void {
	const data = new Map(literals.map((literal) => split(literal)));
	for (const file of files) data.set(basename(file), readFileSync(join(folder, file), "utf8"));
	let map = all.find((manifest) => kindOf(manifest) === "ConfigMap" && nameOf(manifest) === name);
	if (!map) {
		map = new Document({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data: {} });
		all.push(map);
	}
	for (const [key, value] of data) map.setIn(["data", key], value);
}

function split(literal: string): [string, string] {
	const at = literal.indexOf("=");
	return [literal.slice(0, at), literal.slice(at + 1)];
}

function apply({ target: { kind, name }, patch }: Patch, all: readonly Manifest[]): void {
	const isTarget = new RegExp(`^(?:${name})$`);
	const targets = all.filter((manifest) => kindOf(manifest) === kind && isTarget.test(nameOf(manifest)));
	if (targets.length === 0) throw new RangeError(`No ${kind} is named "${name}"`);
	for (const { op, path, value } of parse(patch) as Step[]) {
		if (op !== "add") throw new RangeError(`The step "${op}" of a patch is not known`);
		const keys = path.slice(1).split("/");
		for (const manifest of targets) add(manifest, keys, value);
	}
}

function add(manifest: Manifest, keys: readonly string[], value: unknown): void {
	const parents = keys.slice(0, -1);
	const parent = manifest.getIn(parents);
	const last = keys.at(-1) ?? "";
	if (isSeq(parent) && last === "-") parent.add(manifest.createNode(value));
	else if (isSeq(parent) && /^\d+$/.test(last)) parent.items.splice(Number(last), 0, manifest.createNode(value));
	else if (isMap(parent)) parent.set(last, manifest.createNode(value));
	else throw new RangeError(`There is no "${parents.join("/")}" in ${kindOf(manifest)} "${nameOf(manifest)}"`);
}

const pods = [
	["spec", "template", "spec"],
	["spec", "jobTemplate", "spec", "template", "spec"],
] as const;

function rename({ name, newName, newTag }: Image, all: readonly Manifest[]): void {
	for (const manifest of all)
		for (const pod of pods)
			for (const kind of ["containers", "initContainers"]) {
				const image = [...pod, kind, 0, "image"];
				if (manifest.getIn(image) === name) manifest.setIn(image, `${newName}:${newTag}`);
			}
}
