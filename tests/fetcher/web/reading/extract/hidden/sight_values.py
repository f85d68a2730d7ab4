"""Styles that hide the text of an element."""

OVERRULED_BY_NOTHING = [
    "color: #fff; color: blurb", "color: white; color: rgb()", "color: white; color: rgb(1 2 3 4)",
    "color: white; color: hsl(0, 0, 0)", "color: white; color: color(foo 0 0 0)",
    "color: white; color: #12345",
    "color: white; color: color-mix(in foo, red, red)", "opacity: 0; opacity: calc(1px)",
    "opacity: 0; opacity: calc(1 +1)", "opacity: 0; opacity: foo(1)", "opacity: 0; opacity: 1 1",
    "font-size: 0; font-size: 99zz", "font-size: 0; font-size: 12", "font-size: 0; font: 12px",
    "font-size: 0; font: bold bold 12px serif", "font-size: 0; font: 12px 12px serif",
    "position: absolute; left: -9999px; left: none", "position: absolute; left: -9999px; left: 5",
    "margin-left: -9999px; margin: 0 foo", "display: none; display: inline-foo",
    "display: none; display: block block", "transform: scale(0); transform: foo",
    "transform: scale(0); transform: translate(1)", "transform: scale(0); transform: scale(1) foo",
    "clip-path: inset(100%); clip-path: inset(a)", "clip-path: inset(100%); clip-path: border-box border-box",
    "filter: opacity(0); filter: blur(1)", "filter: opacity(0); filter: alpha(opacity=100)",
    "mask-image: linear-gradient(transparent, transparent); mask-image: linear-gradient(top, red, red)",
    "scale: 0; scale: 1px", "translate: -9999px; translate: foo", "rotate: y 90deg; rotate: 5",
    "height: 0; overflow: hidden; overflow: foo", "height: 0; overflow: hidden; height: foo-content",
    "-webkit-text-fill-color: white; -webkit-text-fill-color: foo", "color: white; background: black red",
    "color: white; background: black left center right", "color: white; background: black foo",
    "color: white; text-shadow: foo black", "color: white; text-shadow: 1px black",
    "color: white; -webkit-text-stroke: 5px 5px black", "visibility: hidden; visibility: visible foo",
]  # fmt: skip
"""A value that browsers do not understand leaves the former one in force."""
CALCULATED = [
    "font: 0/30px serif", "font: italic small-caps bold condensed 0px/30px serif", "font-size: 10.5%",
    "height: calc(0px); overflow: hidden", "height: min(0px, 9px); overflow: hidden",
    "height: 2e-9px; overflow: hidden", "-webkit-logical-height: 0; overflow: hidden",
    "height: env(none, 0px); overflow: hidden", "height: 0; overflow: auto",
    "max-height: 0; overflow-y: scroll",
    "font-size: round(down, .9px, 1px)", "font-size: mod(4px, 4px)", "font-size: calc(sin(0) * 10px)",
    "font-size: hypot(0px)", "opacity: round(.1)", "opacity: env(none, 0)", "font-size: 0svmin",
    "font-size: .1svi", "font-size: calc(10px * sign(0))", "font-size-adjust: 0",
    "filter: opacity(.2) opacity(.2)", "opacity: .2; filter: opacity(.2)", "display: table-column",
    "color: rgb(255, 255, 255" + " " * 400 + ")",
]  # fmt: skip
PLACES = [
    "position: absolute; right: 100vw", "position: fixed; right: 5000px", "position: fixed; bottom: 5000px",
    "position: fixed; top: 100%", "position: absolute; left: -600px; margin-left: -600px",
    "transform: rotateY(180deg); backface-visibility: hidden",
    "backface-visibility: hidden; rotate: y .5turn",
    "clip-path: circle(closest-side at 0 0)", "clip-path: ellipse(closest-side 50% at left 50%)",
    "clip-path: polygon(100% 0, 200% 0, 200% 100%)", "clip-path: xywh(200% 0 100% 100%)",
    "mask-image: linear-gradient(to right, transparent, transparent)",
    "mask-image: radial-gradient(circle, transparent, transparent)",
    "mask: linear-gradient(#000, #000) no-repeat; mask-size: 0 0",
    "mask: linear-gradient(#000, #000) 0 0/0 0 no-repeat",
]  # fmt: skip
COLOURS = [
    "color: transparent; background-clip: text",
    "color: transparent; background: white; background-clip: text",
    "color: #fff; -webkit-text-stroke: 0 #000", "color: #fff; text-shadow: 9999px 9999px black",
    "background: currentcolor", "background: linear-gradient(#000, #000)",
    "background-image: linear-gradient(to right, #000 0 0)", "color: rgb(from white r g b)",
    "color: hsl(from white h s l)", "color: rgb(from black r g b / 0)", "color: Window", "color: Field",
    "color: ButtonHighlight", "color: color(xyz .9505 1 1.089)", "color: color(rec2020 1 1 1)",
]  # fmt: skip
