/**
 * Cuts Linear's GraphQL schema down to what the platform's operations touch: `node test/providers/linear/trim-schema.ts <schema>` writes
 * schema.graphql beside it. The whole schema is `packages/sdk/src/schema.graphql` in the repository linear/linear.
 */
import {
	type DefinitionNode,
	type DocumentNode,
	type FieldDefinitionNode,
	Kind,
	type ObjectTypeDefinitionNode,
	parse,
	print,
} from "graphql";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The kept members of each kept type; those of a field in brackets are its kept arguments. */
const kept: Readonly<Record<string, string>> = {
	Query: "viewer searchIssues[term,first,filter] issues[first,orderBy,filter] issue[id]",
	Mutation: "issueUpdate[id,input]",
	User: "id displayName email organization",
	Organization: "id name",
	Issue: "id identifier title url priority state assignee labels team",
	IssueSearchResult: "id identifier title url priority state assignee labels",
	IssueConnection: "nodes",
	IssueSearchPayload: "nodes",
	IssueLabelConnection: "nodes",
	IssueLabel: "name",
	Team: "id key states[first]",
	WorkflowStateConnection: "nodes",
	WorkflowState: "id name",
	IssuePayload: "success issue",
	IssueUpdateInput: "stateId",
	IssueFilter: "or project team",
	NullableProjectFilter: "id slugId",
	TeamFilter: "key",
	IDComparator: "eq",
	StringComparator: "eq",
	PaginationOrderBy: "createdAt updatedAt",
};

const notice = `# Cut from Linear's schema (linear/linear, packages/sdk/src/schema.graphql) by trim-schema.ts.
#
# MIT License. Copyright (c) 2019 Linear
#
# Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
# documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
# rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
# persons to whom the Software is furnished to do so, subject to the following conditions: The above copyright notice and
# this permission notice shall be included in all copies or substantial portions of the Software.
#
# THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
# WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
# COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
# OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`;

/** Returns the kept arguments by the kept members of a type. */
function membersOf(type: string): Map<string, readonly string[]> {
	const words = kept[type]?.split(" ") ?? [];
	return new Map(
		words.map((word) => {
			const [, name = word, list = ""] = /^(\w+)(?:\[(.*)\])?$/.exec(word) ?? [];
			return [name, list.split(",")];
		}),
	);
}

const bare = { description: undefined, directives: [] };

/** Returns what is kept of a definition: nothing of most. */
function trimmed(node: DefinitionNode): DefinitionNode[] {
	if (!("name" in node) || !node.name || !(node.name.value in kept)) return [];
	const members = membersOf(node.name.value);
	if (node.kind === Kind.OBJECT_TYPE_DEFINITION)
		return [{ ...node, ...bare, interfaces: [], fields: fieldsOf(node, members) }];
	if (node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION)
		return [{ ...node, ...bare, fields: node.fields?.filter(({ name }) => members.has(name.value)).map(plain) }];
	return node.kind === Kind.ENUM_TYPE_DEFINITION ? [{ ...node, ...bare, values: node.values?.map(plain) }] : [];
}

function plain<T extends object>(node: T): T {
	return { ...node, ...bare };
}

function fieldsOf({ fields = [] }: ObjectTypeDefinitionNode, members: ReadonlyMap<string, readonly string[]>) {
	return fields.flatMap((field) => trimmedField(field, members.get(field.name.value)));
}

function trimmedField(field: FieldDefinitionNode, names: readonly string[] | undefined): FieldDefinitionNode[] {
	if (!names) return [];
	const given = field.arguments?.filter(({ name }) => names.includes(name.value));
	return [{ ...field, ...bare, arguments: given?.map(plain) }];
}

const [, , source = ""] = process.argv;
const whole: DocumentNode = parse(readFileSync(source, "utf8"));
const definitions = whole.definitions.flatMap(trimmed);
const missing = Object.keys(kept).length - definitions.length;
if (missing !== 0) throw new Error(`The schema lacks ${missing} of the types`);
writeFileSync(join(import.meta.dirname, "schema.graphql"), `${notice}\n${print({ ...whole, definitions })}\n`);
