// Starts Swagger UI on the document of this service. Citation markers are made of private-use
// characters, which no font shows, so examples and answers show them as JSON escapes (\ue200).
"use strict";

const escaped = (text) =>
  text.replace(/[\ue000-\uf8ff]/g, (sign) => "\\u" + sign.charCodeAt(0).toString(16));

// An example that is a string is shown as it is, and sent as it is.
const shown = (value) =>
  typeof value === "string" ? escaped(value) : escaped(JSON.stringify(value, null, 2));

const lines = (values) => values.map((value) => escaped(JSON.stringify(value)) + "\n").join("");

function resolve(document, schema) {
  const name = (schema.$ref || "").split("/").pop();
  return name ? document.components.schemas[name] : schema;
}

function showExamples(document, content) {
  for (const [type, media] of Object.entries(content || {})) {
    const examples = resolve(document, media.schema || {}).examples || [];
    if (!examples.length) continue;
    if (type === "application/x-ndjson") media.example = lines(examples);
    else if (type === "text/event-stream")
      media.example = examples
        .map((event, index) => `id: ${index + 1}\nevent: ${event.type}\ndata: ${lines([event])}\n`)
        .join("");
    else media.example = shown(examples[0]);
  }
}

function prepare(document) {
  for (const operations of Object.values(document.paths)) {
    for (const operation of Object.values(operations)) {
      const streamed = operation["x-ndjson-body"];
      if (streamed) operation.requestBody.content["application/x-ndjson"] = streamed;
      showExamples(document, operation.requestBody?.content);
      for (const answer of Object.values(operation.responses)) {
        showExamples(document, answer.content);
      }
      for (const parameter of operation.parameters || []) {
        // Only what has to be given is filled in: an optional value would narrow the answer.
        const [example] = parameter.schema.examples || [];
        if (parameter.required && example !== undefined) parameter.example = example;
        else delete parameter.schema.examples;
      }
    }
  }
  for (const schema of Object.values(document.components.schemas)) {
    for (const field of Object.values(schema.properties || {})) {
      field.examples = field.examples?.map((one) => (typeof one === "string" ? escaped(one) : one));
    }
  }
  return document;
}

// Wraps a component of Swagger UI, so that these of its texts have visible signs.
const withVisible =
  (...names) =>
  (Original, system) =>
  (properties) => {
    const texts = names.filter((name) => typeof properties[name] === "string");
    const visible = Object.fromEntries(texts.map((name) => [name, escaped(properties[name])]));
    return system.React.createElement(Original, { ...properties, ...visible });
  };

const VisibleSigns = {
  wrapComponents: {
    HighlightCode: withVisible("children"),
    RequestBodyEditor: withVisible("value", "defaultValue"),
  },
};

async function start() {
  const response = await fetch("openapi.json");
  window.ui = SwaggerUIBundle({
    spec: prepare(await response.json()),
    dom_id: "#swagger-ui",
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    validatorUrl: null,
    plugins: [VisibleSigns],
    presets: [SwaggerUIBundle.presets.apis],
  });
}

start();
